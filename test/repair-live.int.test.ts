import { afterAll, expect, it } from 'vitest';
import { DelayedWorker } from '../src/consumers/delayed-worker.ts';
import { ConsumerGroup } from '../src/consumers/streams/consumer-group.ts';
import { streamsMarks } from '../src/consumers/streams/marks.ts';
import { TaskConsumer } from '../src/consumers/task-consumer.ts';
import { TaskWorker } from '../src/consumers/task-worker.ts';
import type { Id } from '../src/contracts/id.ts';
import { run } from '../src/index/protocol.ts';
import { rebuild } from '../src/index/rebuild.ts';
import { settledBy } from '../src/index/settled.ts';
import { DelayQueue } from '../src/redis/delay-queue.ts';
import { OutboxRelay } from '../src/relay/relay.ts';
import { runToEnd } from '../src/repair/job.ts';
import { Repair } from '../src/repair/repair.ts';
import { Verify } from '../src/repair/verify.ts';
import { deletePhoto, uploadPhoto } from '../src/site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../src/site/relationships.ts';
import { PLANTS, spoil } from './support/plant-drift.ts';
import { freshFence, freshSite, type RepairSite, userId } from './support/repair-site.ts';
import { redisUrl } from './support/servers.ts';
import { logger, open } from './transport/place.ts';

const USERS = 30;
const LOAD_MS = 4_000;

/** Relay, consumer and delayed worker, as their processes run them. */
async function startProcesses({ stores }: RepairSite) {
  const { redis, primary, prefix, steps, delayed } = stores;
  const stream = `${prefix}:{tasks}:stream`;
  const opened = await open({ kind: 'streams', url: redisUrl(), stream });
  const { publisher, deadLetters } = opened;
  const source = opened.source();
  const consumer = new TaskConsumer({
    ...{ source, deadLetters, logger },
    worker: new TaskWorker({ steps, pageSize: 7 }),
    onLoss: async (loss) => expect(loss).toBeUndefined(),
  });
  const ending = new AbortController();
  const running = [
    consumer.run(),
    new OutboxRelay({ database: primary, publisher, deadLetters, logger }).run(ending.signal),
    new DelayedWorker({ steps, delayed, logger }).run(ending.signal),
  ];
  afterAll(async () => {
    ending.abort();
    await consumer.stop();
    await Promise.all(running);
    await opened.close();
  });
  const view = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'none' });
  const transport = streamsMarks({ client: redis, stream, group: 'g', view });
  return settledBy({ primary, transport, delayQueue: new DelayQueue(redis, prefix) });
}

/** Whatever a site does, until it is told to stop. How many actions there were. */
async function act({ pool, users }: RepairSite, until: () => boolean): Promise<number> {
  const any = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T;
  const strangers = Array.from({ length: 12 }, (_, i) => userId(USERS + 1 + i));
  const grant = () => ({ friend: Math.random() < 0.5, family: Math.random() < 0.5 });
  const photos: Id[] = [];
  const actions = [
    async () =>
      photos.push(await uploadPhoto(pool, any(strangers), any([0, 1, 2, 3, 4]), 1 + Math.floor(Math.random() * 9_000))),
    async () => photos.length > 0 && (await deletePhoto(pool, any(photos))),
    () => addContact(pool, any(users), any(strangers), grant()),
    () => removeContact(pool, any(users), any(strangers)),
    () => addContact(pool, any(strangers), any(users), grant()),
    () => changeRelationship(pool, any(strangers), any(users), grant()),
  ];
  let done = 0;
  for (; !until(); done++) await any(actions)();
  return done;
}

it('repair of a site under load counts no change on its way as drift, and finds what is planted', {
  timeout: 60_000,
}, async () => {
  const site = await freshSite({ users: USERS, settleMs: 10_000 });
  await run(rebuild(site.users), site.stores.steps);
  const settled = await startProcesses(site);
  const check = site.checkWith(settled);
  const repair = async () => {
    const job = new Repair({ ...site.repair, check, pageSize: 10, fence: await freshFence(site.stores) }, {});
    await runToEnd(job);
    return job.result;
  };

  const end = performance.now() + LOAD_MS;
  const isOver = () => performance.now() > end;
  const acting = Promise.all([act(site, isOver), act(site, isOver), act(site, isOver)]);
  let looked = 0;
  while (!isOver()) {
    const { wrong, still_wrong, answers_wrong, users } = await repair();
    expect({ wrong, still_wrong, answers_wrong }).toEqual({ wrong: 0, still_wrong: 0, answers_wrong: 0 });
    looked += users;
  }
  const actions = (await acting).reduce((sum, done) => sum + done, 0);
  expect(actions).toBeGreaterThan(100);
  expect(looked).toBeGreaterThan(USERS);

  const verify = new Verify({ ...site.repair, check }, {});
  await runToEnd(verify);
  expect(verify.result).toMatchObject({ wrong: 0, unsettled: 0, answers_wrong: 0, answers_unsettled: 0 });
  expect(verify.result.columns.wrong).toBe(0);
  await spoil(site.stores, site.users[3] as Id, PLANTS.score);
  expect(await repair()).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0 });
});
