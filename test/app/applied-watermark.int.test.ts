import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { sharedBarrier } from '../../src/index/drain-barrier.ts';
import { bumpEpoch } from '../../src/index/epoch.ts';
import { laneBarriersOf } from '../../src/index/index-drain-barrier.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { AppliedWatermark } from '../../src/query/applied-watermark.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { ConsumerGroup } from '../../src/transport/streams/consumer-group.ts';
import { strictStreamsBarrier } from '../../src/transport/streams/drain-barrier.ts';
import { redisUrl } from '../support/servers.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { recordedStream } from '../support/stream-record.ts';
import { until } from '../support/until.ts';
import { consume } from '../transport/consuming.ts';
import { freshTask } from '../transport/outgoing-task.ts';
import { open } from '../transport/place.ts';

const PAIR = { user: '1', contact: '2' };

let stores: Stores;
let now = 0;
let watermark: AppliedWatermark;
let openWatermark: () => AppliedWatermark;
let stream: string;

beforeAll(async () => {
  stores = await freshStores();
  stream = `${stores.prefix}:{tasks}:stream`;
  const { primary, redis: client, rechecks, delayed } = stores;
  const view = new ConsumerGroup({ client, stream, group: 'g', consumer: 'none' });
  const transport = strictStreamsBarrier({
    client,
    stream,
    group: 'g',
    view,
    recorded: recordedStream(client, stream),
  });
  const kinds = [{ rechecks: rechecks.changes, delayed: delayed.changes() }];
  const nothing = async () => sharedBarrier(async () => true);
  const barriers = laneBarriersOf({ primary, kinds }, { small: transport, bulk: nothing });
  openWatermark = () =>
    new AppliedWatermark({
      barriers,
      watch: { during: (work) => work() },
      epoch: async () => (await readEpoch(primary)).token,
      now: () => now,
    });
  watermark = openWatermark();
  await expect(watermark.measure(), 'no consumer has run').rejects.toThrow('no consumer');
  await view.create();
});

/** The lag after another second. */
async function lagLater(): Promise<number | undefined> {
  now += 1_000;
  await watermark.measure();
  return watermark.lagMs();
}

it('a row of the outbox is a change on its way, until it is published; then the task is, until it is acknowledged', async () => {
  expect(await lagLater()).toBe(0);
  await stores.primary.write(
    // Its time does not matter: this one is of a clock that is far ahead.
    "INSERT INTO recency_outbox (id, type, user_id, other_id, created_at) VALUES (10, 'recency.contact.added', 1, 2, 4102444800000)",
    [],
  );
  expect(await lagLater()).toBe(1_000);
  expect(await lagLater()).toBe(2_000);
  const opened = await open({ kind: 'streams', url: redisUrl(), stream });
  await opened.publisher.publish([freshTask()]);
  await stores.primary.write('UPDATE recency_outbox SET published_at = 1', []);
  expect(await lagLater()).toBe(3_000);
  const gate = Promise.withResolvers<void>();
  const consuming = consume(opened.source(), () => gate.promise);
  await until(() => consuming.received.length > 0);
  expect(await lagLater(), 'delivered, not acknowledged').toBe(4_000);
  gate.resolve();
  await until(async () => (await lagLater()) === 0);
  await consuming.stop();
  await opened.close();
});

it('a row that a relay put back is a change on its way', async () => {
  const lag = await lagLater();
  expect(lag).toBe(0);
  await stores.primary.write(
    "INSERT INTO recency_outbox (id, type, user_id, other_id, due_at) VALUES (11, 'recency.contact.added', 1, 2, 9)",
    [],
  );
  expect(await lagLater()).toBe(1_000);
  await stores.primary.write('UPDATE recency_outbox SET published_at = 1', []);
  expect(await lagLater()).toBe(0);
});

it('a refresh that a consumer delayed is a change on its way, and a rebuild is none', async () => {
  await stores.delayed.defer({ pairs: [], rebuilds: ['1'] });
  expect(await lagLater()).toBe(0);
  await stores.delayed.defer({ pairs: [PAIR], rebuilds: [] });
  expect(await lagLater()).toBe(1_000);
  const held = await until(async () => {
    const taken = await stores.delayed.take(10, 60_000);
    return taken.items.some(({ kind }) => kind === 'refresh') && taken;
  });
  expect(await lagLater(), 'taken, not done').toBe(2_000);
  await stores.delayed.finish(held);
  expect(await lagLater()).toBe(0);
});

it('a re-check is a change on its way, in MySQL or where an older version left it', async () => {
  await stores.rechecks.put([{ ...PAIR, version: '9' }], 1);
  expect(await lagLater()).toBe(1_000);
  await stores.primary.write('DELETE FROM recency_outbox WHERE is_recheck', []);
  expect(await lagLater()).toBe(0);
  const queue = new DelayQueue(stores.redis, stores.prefix);
  const item = JSON.stringify({ kind: 'recheck', ...PAIR, version: '9', attempt: 1 });
  await queue.put([item], 60_000);
  expect(await lagLater()).toBe(1_000);
  await queue.drop([item]);
  expect(await lagLater()).toBe(0);
});

it('a re-check is none while MySQL has its row in an older version: its change is not committed', async () => {
  await stores.primary.write("INSERT INTO users (id, name) VALUES (1, 'a'), (2, 'b')", []);
  await stores.primary.write('INSERT INTO contacts (user_id, contact_id, active, version) VALUES (1, 2, 1, 8)', []);
  await stores.rechecks.put([{ ...PAIR, version: '9' }], 1);
  expect(await lagLater()).toBe(0);
  await stores.primary.write('UPDATE contacts SET version = 9', []);
  expect(await lagLater(), 'committed, and not looked at again').toBe(1_000);
  await stores.primary.write('DELETE FROM contacts', []);
  expect(await lagLater(), 'perhaps the change deletes the row').toBe(2_000);
  await stores.primary.write('DELETE FROM recency_outbox WHERE is_recheck', []);
  expect(await lagLater()).toBe(0);
});

it('tasks that were removed unread are changes on their way, also for a process that starts, until a consumer finds the loss', async () => {
  expect(await lagLater()).toBe(0);
  const opened = await open({ kind: 'streams', url: redisUrl(), stream });
  onTestFinished(() => opened.close());
  await opened.publisher.publish([freshTask(), freshTask()]);
  await stores.redis.xtrim(stream, 'MAXLEN', 0);
  expect(await lagLater()).toBe(1_000);
  const started = openWatermark();
  await started.measure();
  expect(started.lagMs()).toBeUndefined();

  const found: string[] = [];
  const consuming = consume(opened.source(), undefined, async ({ reason }) => {
    await bumpEpoch(stores.primary, 'lost');
    found.push(reason);
  });
  await until(() => found.length > 0);
  expect(found).toEqual(['stream_lost']);
  await until(async () => (await lagLater()) === 0);
  await started.measure();
  expect(started.lagMs()).toBe(0);
  await consuming.stop();
});
