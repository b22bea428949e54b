import { expect, it } from 'vitest';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { BRISK } from '../support/brisk-main.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

const USERS = 20;

interface Finding {
  readonly area: string;
  readonly state: string;
  readonly detail: string;
  readonly mend?: string;
}

/** What doctor says about the sampler. */
async function consistency(settings: Settings) {
  const { stdout } = await runInProcess(['doctor', '--json'], settings);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.find(({ area }) => area === 'consistency');
}

/** Waits until doctor says this about the sampler. */
async function found(settings: Settings, isIt: (finding: Finding) => boolean | undefined): Promise<Finding> {
  return await until(
    async () => {
      const finding = await consistency(settings);
      return finding !== undefined && isIt(finding) && finding;
    },
    { interval: 500 },
  );
}

/** Users who all have the same three contacts, and their indexes. */
async function freshSite() {
  const settings = { ...(await serviceSettings()), SAMPLE_RATE: '20' };
  const pool = openSitePool(settings.MYSQL_URL, 1);
  const users = Array.from({ length: USERS }, (_, i) => ({ id: String(i + 1) }));
  const contacts = users.flatMap(({ id: user }) => ['1', '2', '3'].map((contact) => ({ user, contact })));
  const photos = ['1', '2', '3'].map((owner) => ({ owner, audience: 0 as const, uploadedAt: 1_000 + Number(owner) }));
  await loadGraph(pool, { users, contacts: contacts.filter(({ user, contact }) => user !== contact), photos });
  await pool.end();
  expect((await runInProcess(['backfill'], settings)).code).toBe(0);
  return settings;
}

async function start(settings: Settings) {
  const port = String(await freePort());
  const cli = new CliProcess(['consume'], { ...settings, METRICS_PORT: port }, BRISK).killAtEnd();
  await cli.says('consuming');
  const metrics = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return { cli, metrics };
}

async function ended({ cli }: Awaited<ReturnType<typeof start>>): Promise<void> {
  cli.signal('SIGTERM');
  expect((await cli.ended).code).toBe(0);
}

it('one consumer samples, and another one when it is killed; doctor and metrics report the findings', async () => {
  const settings = await freshSite();
  expect(await consistency(settings)).toMatchObject({ state: 'warning', detail: 'no sampler reports' });

  const first = await start(settings);
  await first.cli.says('"msg":"sampling"');
  const second = await start(settings);
  const nines = /^recency_consistency_nines\{window="10s",process="consume"\} (?!0$)\d/m;
  await until(async () => nines.test(await first.metrics()));
  expect(await second.metrics()).not.toContain('recency_consistency_nines{');
  const right = await found(settings, ({ state }) => state === 'fine'); // the report comes after the count
  expect(right.detail).toMatch(/5m: \d\.\d nines \(0 of \d+ users wrong\)/);

  first.cli.signal('SIGKILL');
  await second.cli.says('"msg":"sampling"');
  await until(async () => nines.test(await second.metrics()));

  const redis = await freshRedis(settings.REDIS_URL);
  await redis.zadd(new KeyNames(settings.KEY_PREFIX as string).set('7'), 999, '2');
  const wrong = await found(settings, ({ mend }) => mend?.includes('Wrong: 7 (score)'));
  expect(wrong.state).toBe('warning');
  await second.cli.says('no client would notice');
  const hidden = /^recency_sampled_users_total\{outcome="wrong_hidden",process="consume"\} [1-9]/m;
  await until(async () => hidden.test(await second.metrics()));
  await ended(second);
});

it.each(['REDIS_URL', 'MYSQL_URL'] as const)(
  'while %s does not answer, sampling pauses, and resumes afterwards',
  async (name) => {
    const site = await freshSite();
    await using proxy = await TcpProxy.before(String(site[name]));
    const consumer = await start({ ...site, [name]: proxy.url, MYSQL_TIMEOUT_MS: '1000' });
    const right = async () =>
      Number(
        /^recency_sampled_users_total\{outcome="right",process="consume"\} (\d+)$/m.exec(await consumer.metrics())?.[1],
      );
    await until(async () => (await right()) > 0);
    proxy.silence({ alsoNew: true });
    await consumer.cli.says('consistency cannot be sampled');
    let before = Number.NaN;
    const hasPaused = async () => {
      const last = before;
      before = await right();
      return before === last;
    };
    await until(hasPaused, { interval: 1_000 }); // a round that was under way may still count
    proxy.restore();
    await until(async () => (await right()) > before);
    await ended(consumer);
  },
);
