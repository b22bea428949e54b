import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { type CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite, unpublished } from '../support/indexed-site.ts';
import { hasKafka, redisUrl, sql, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const USERS = ['1', '2', '3'];
const CONTACTS = Array.from({ length: 15 }, (_, i) => String(101 + i));

type Site = Settings & { MYSQL_URL: string; TOPIC: string; KEY_PREFIX: string };

/** Users with indexes, and a group that has consumed. */
async function freshSite(transport: 'streams' | 'kafka'): Promise<Site> {
  const settings = (await serviceSettings(transport)) as Site;
  await indexedSite(settings, USERS, CONTACTS);
  const consumer = await startConsumer(settings);
  const relay = await startProcess('relay', settings);
  await leave(settings, 3);
  await consumed(settings, consumer);
  await stop(consumer.consume);
  await leave(settings, 4); // published but not consumed
  await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
  await stop(relay);
  return settings;
}

async function startConsumer(settings: Settings) {
  const port = String(await freePort());
  const consume = await startProcess('consume', { ...settings, METRICS_PORT: port });
  const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { consume, metrics };
}

type Consumer = Awaited<ReturnType<typeof startConsumer>>;

async function stop(cli: CliProcess): Promise<void> {
  cli.signal('SIGTERM');
  expect((await cli.ended).code).toBe(0);
}

async function leave(settings: Site, tasks: number): Promise<void> {
  const rows = Array.from({ length: tasks }, (_, i) => `('recency.photo.uploaded', ${CONTACTS[i % CONTACTS.length]})`);
  await sql(settings.MYSQL_URL, `INSERT INTO recency_outbox (type, user_id) VALUES ${rows}`);
}

/** Waits until nothing that was left waits in either lane. */
async function consumed(settings: Site, { metrics }: Consumer): Promise<void> {
  await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
  const isEmpty = async () => {
    const text = await metrics();
    return ['transport', 'bulk'].every((lane) => new RegExp(`^recency_${lane}_lag_tasks\\{.*\\} 0$`, 'm').test(text));
  };
  await until(isEmpty, { interval: 250 });
}

const epoch = async (settings: Site) => (await runInProcess(['epoch', 'show', '--json'], settings)).json()[0];
const verify = async (settings: Site) => (await runInProcess(['verify', '--json'], settings)).json().at(-1);

/** The next consumer raises the alarm and begins a new epoch; every index is cold, and can be built again. */
async function expectAlarm(settings: Site, reason: string): Promise<void> {
  const before = await epoch(settings);
  const consumer = await startConsumer(settings);
  const { consume, metrics } = consumer;
  await consume.says('tasks were lost: no index is trusted');
  await consume.says('caught up after tasks were lost: a new epoch, every index is cold');
  await until(async () => (await epoch(settings)).epoch !== before.epoch, { interval: 100 });
  expect((await epoch(settings)).why).toMatch(new RegExp(`^tasks were lost: ${reason}: `));
  await until(async () => /^recency_new_epochs_total\{process="consume"\} 1$/m.test(await metrics()));
  await consumed(settings, consumer);
  expect(await verify(settings)).toMatchObject({ users: 3, warm: 0, cold: 3, wrong: 0, answers_wrong: 0 });
  expect((await runInProcess(['backfill'], settings)).code).toBe(0);
  expect(await verify(settings)).toMatchObject({ users: 3, warm: 3, cold: 0, wrong: 0, answers_wrong: 0 });
  await stop(consume);
  const next = await startConsumer(settings);
  await consumed(settings, next);
  expect(next.consume.stdout).not.toContain('tasks were lost');
}

describe.runIf(hasKafka())('tasks that Kafka has lost begin a new epoch', { timeout: 400_000 }, () => {
  it('fault 7: the group’s offset is out of range', async () => {
    const settings = await freshSite('kafka');
    const topic = settings.TOPIC;
    await withAdmin(async (admin) => {
      const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
        partition,
        offset: high,
      }));
      await admin.deleteTopicRecords({ topic, partitions });
    });
    await expectAlarm(settings, 'offset_out_of_range');
  });

  it('repeated losses begin one epoch, when the consumer has caught up, also when another one takes over', {
    timeout: 400_000,
  }, async () => {
    const settings = await freshSite('kafka');
    const before = await epoch(settings);
    const relay = await startProcess('relay', settings);
    const loseAllButTheLast = async () => {
      await leave(settings, 40);
      await until(async () => (await unpublished(settings.MYSQL_URL)) === 0);
      await withAdmin(async (admin) => {
        const ends = await admin.fetchTopicOffsets(settings.TOPIC);
        const partitions = ends.map(({ partition, high }) => ({
          partition,
          offset: high === '0' ? '0' : String(Number(high) - 1),
        }));
        await admin.deleteTopicRecords({ topic: settings.TOPIC, partitions });
      });
    };
    await loseAllButTheLast();
    // The consumer that finds the loss cannot record which end it must reach, so it cannot catch up.
    await sql(
      settings.MYSQL_URL,
      `CREATE TRIGGER no_end BEFORE INSERT ON recency_settings FOR EACH ROW
       IF NEW.name LIKE 'loss:%' AND NEW.value NOT LIKE '%"end":null%' THEN SIGNAL SQLSTATE '45000'; END IF`,
    );
    const first = await startConsumer(settings);
    await first.consume.says('tasks were lost');
    first.consume.signal('SIGKILL');
    await first.consume.ended;
    await sql(settings.MYSQL_URL, 'DROP TRIGGER no_end');

    // The consumer that found it is gone, but the loss is on record: nothing is built, nothing is certified.
    const refused = await runInProcess(['backfill'], settings);
    expect(refused.code, refused.stderr).toBe(1);
    expect(refused.stderr).toContain('tasks were lost');
    expect(await verify(settings)).toMatchObject({ users: 3, warm: 0, cold: 3, answers_wrong: 0 });
    const suspended = await epoch(settings);
    expect(suspended).toMatchObject({ suspended: true, why: expect.stringMatching(/^tasks were lost: /) });

    await loseAllButTheLast(); // again, before any consumer has caught up
    const second = await startConsumer(settings);
    await second.consume.says('tasks were lost');
    await until(async () => (await epoch(settings)).suspended === false);
    const after = await epoch(settings);
    expect([before.epoch, suspended.epoch]).not.toContain(after.epoch);
    await consumed(settings, second);
    expect(await epoch(settings)).toEqual(after); // one epoch, and no other after it
    expect(await second.metrics()).toMatch(/^recency_new_epochs_total\{process="consume"\} 1$/m);
    expect((await runInProcess(['backfill'], settings)).code).toBe(0);
    expect(await verify(settings)).toMatchObject({ users: 3, warm: 3, cold: 0, wrong: 0, answers_wrong: 0 });
    await stop(relay);
  });

  it('fault 38: the group has no offsets while indexes exist', async () => {
    const settings = await freshSite('kafka');
    await withAdmin((admin) => admin.deleteGroups([settings.TOPIC]));
    await expectAlarm(settings, 'group_without_offsets');
  });
});

describe('tasks that the stream has lost begin a new epoch', { timeout: 400_000 }, () => {
  it('fault 38: the stream is gone while indexes exist', async () => {
    const settings = await freshSite('streams');
    const redis = new Redis(redisUrl());
    onTestFinished(() => redis.disconnect());
    await redis.del(`${settings.KEY_PREFIX}:${settings.TOPIC}`);
    await expectAlarm(settings, '\\w+');
  });
});
