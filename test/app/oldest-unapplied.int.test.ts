import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appliedWatermarkOf } from '../../src/app/reports.ts';
import { indexStores } from '../../src/app/stores.ts';
import { openTransport } from '../../src/app/transport.ts';
import { loadConfig } from '../../src/config/config.ts';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import { LANES, type Lane } from '../../src/contracts/bulk-task.ts';
import { Database } from '../../src/mysql/database.ts';
import type { AppliedWatermark } from '../../src/query/applied-watermark.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { loadGraph } from '../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { ensureTopics } from '../../src/transport/kafka/topic-admin.ts';
import { unpublished } from '../support/indexed-site.ts';
import { hasKafka, sql, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';
import { until } from '../support/until.ts';
import { logger } from '../transport/place.ts';

/** Followers above which an audience is large. */
const PAGE = 2;

/** Whose followers are one page, and whose are a large audience. */
const [OWNER, STAR] = ['1', '2'];

/** A part of the way that can stand still. */
interface Part {
  start(): void;
  stop(): Promise<unknown>;
}

/** Every part of the way from a commit to the index, as its processes run it. */
async function openWay(kind: 'streams' | 'kafka') {
  const settings = await serviceSettings(kind);
  const environment = Object.entries(settings).map(([name, value]) => [`RECENCY_${name}`, value]);
  const config = loadConfig(Object.fromEntries(environment));
  const resources = new AsyncDisposableStack();
  const redis = await freshRedis();
  const primary = resources.adopt(
    new Database(settings.MYSQL_URL, { connections: 8, queue: 1_000, deadlineMs: 60_000 }),
    (database) => database.close(),
  );
  const transport = openTransport({ config, logger, resources, primary }, 'test');
  await transport.untilReady(new AbortController().signal);
  const pool = resources.adopt(openSitePool(settings.MYSQL_URL, 2), (opened) => opened.end());
  const users = [OWNER, STAR, '10', '11', '12', '13'];
  const contacts = [
    { user: '10', contact: OWNER },
    ...['10', '11', '12', '13'].map((user) => ({ user, contact: STAR })),
  ];
  await loadGraph(pool, { users: users.map((id) => ({ id })), contacts, photos: [] });

  const { kinds } = indexStores(config, primary, redis);
  const [{ steps, patient, delayed, rechecks }] = kinds as [(typeof kinds)[number]];
  const [publisher, bulkPublisher, deadLetters] = [
    transport.openPublisher(),
    transport.bulk.openPublisher(),
    transport.openDeadLetters(),
  ].map((opened) => resources.adopt(opened, (one) => one.close())) as [
    ReturnType<typeof transport.openPublisher>,
    ReturnType<typeof transport.openPublisher>,
    ReturnType<typeof transport.openDeadLetters>,
  ];
  const publish: typeof steps.publish = async (tasks) =>
    void (await bulkPublisher.publish(
      tasks.map((task) => ({ task, id: randomUUID(), source: '/test', time: Date.now() })),
    ));
  const batch = { isHeld: false, gate: Promise.withResolvers<void>() };

  const openConsumer = (lane: Lane) =>
    new TaskConsumer({
      watch: TRUSTED,
      source: transport[lane].openSource({ doIndexesExist: async () => false }),
      ...{ deadLetters, logger, answers: async () => true },
      worker: new TaskWorker({ lane, steps: { ...steps, publish }, pageSize: PAGE }),
      onLoss: async ({ detail }) => {
        throw new Error(`tasks were lost: ${detail}`);
      },
      beforeStep: async () => {
        if (batch.isHeld) await batch.gate.promise;
      },
    });
  const consumerOf = (lane: Lane): Part => {
    let running: { readonly consumer: TaskConsumer; readonly run: Promise<void> } | undefined;
    return {
      start: () => {
        const consumer = openConsumer(lane);
        running = { consumer, run: consumer.run() };
      },
      stop: async () => {
        await running?.consumer.stop();
        await running?.run;
      },
    };
  };
  const looping = (run: (signal: AbortSignal) => Promise<void>): Part => {
    let [ending, running] = [new AbortController(), Promise.resolve()];
    return {
      start: () => {
        ending = new AbortController();
        running = run(ending.signal);
      },
      stop: async () => {
        ending.abort();
        await running;
      },
    };
  };
  const relay = new OutboxRelay({ database: primary, publisher, deadLetters, logger });
  const worker = new DelayedWorker({ watch: TRUSTED, steps, patient, delayed, rechecks, logger, deadLetters });
  const inHand: Part = {
    stop: async () => {
      batch.isHeld = true;
    },
    start: () => {
      batch.isHeld = false;
      batch.gate.resolve();
      batch.gate = Promise.withResolvers<void>();
    },
  };
  const parts = {
    relay: looping((signal) => relay.run(signal)),
    consumer: consumerOf('small'),
    bulk: consumerOf('bulk'),
    delayed: looping((signal) => worker.run(signal)),
    inHand,
  };
  const places = { primary, watch: TRUSTED, redis, kinds, transport };
  const open = () => appliedWatermarkOf(places, config);
  const upload = async (owner: string) => void (await uploadPhoto(pool, owner, 0, Date.now()));
  const waiting = (lane: Lane) => transport[lane].lag();
  onTestFinished(async () => {
    inHand.start();
    for (const part of [parts.relay, parts.consumer, parts.bulk, parts.delayed]) await part.stop();
    await resources.disposeAsync();
  });
  return { settings, parts, open, upload, waiting, delayed, rechecks };
}

/** Deletes a topic, and makes it again. */
async function makeAgain(topic: string): Promise<void> {
  await withAdmin(async (admin) => {
    const [found] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics;
    await admin.deleteTopics({ topics: [topic] });
    const numPartitions = found?.partitions.length ?? 1;
    await until(() => ensureTopics(admin, [{ topic, numPartitions }]).then(() => true));
  });
}

type Way = Awaited<ReturnType<typeof openWay>>;

/** Measures until the number of a lane says that everything is applied that was committed by a reading of the clock. */
async function untilApplied(watermark: AppliedWatermark, lane: Lane, reading: number): Promise<void> {
  await until(async () => {
    await watermark.measure();
    const lag = watermark.lagMs(lane);
    return lag !== undefined && lag <= performance.now() - reading;
  });
}

describe.each(['streams', 'kafka'] as const)('the age of the oldest change that is not applied: %s', (kind) => {
  const stands: readonly {
    readonly part: keyof Way['parts'];
    readonly what: string;
    /** Commits a change. */
    readonly change: (way: Way) => Promise<unknown>;
    /** Has it come to the part that stands still? */
    readonly arrived: (way: Way) => Promise<unknown>;
    readonly lanes?: readonly Lane[];
  }[] = [
    {
      part: 'relay',
      what: 'in the outbox, while no relay runs',
      change: ({ upload }) => upload(OWNER),
      arrived: async ({ settings }) => (await unpublished(settings.MYSQL_URL)) > 0,
    },
    {
      part: 'consumer',
      what: 'on the transport, while no consumer runs',
      change: ({ upload }) => upload(OWNER),
      arrived: ({ waiting }) => waiting('small'),
    },
    {
      part: 'inHand',
      what: 'in the batch that a consumer has in hand',
      change: ({ upload }) => upload(OWNER),
      arrived: ({ waiting }) => waiting('small'),
    },
    {
      part: 'delayed',
      what: 'in a refresh that was put off, while no delayed work is done',
      change: ({ delayed }) => delayed.defer({ pairs: [{ user: '10', contact: OWNER }], rebuilds: [] }),
      arrived: async () => true,
    },
    {
      part: 'delayed',
      what: 'in a re-check, while no delayed work is done',
      change: ({ rechecks }) => rechecks.put([{ user: '10', contact: OWNER, version: '1' }], 1),
      arrived: async () => true,
    },
    {
      part: 'bulk',
      what: 'in the bulk lane, while no consumer of it runs',
      change: ({ upload }) => upload(STAR),
      arrived: ({ waiting }) => waiting('bulk'),
      lanes: ['bulk'],
    },
  ];

  it.runIf(kind === 'streams' || hasKafka())('is known whichever part stands still', async () => {
    const way = await openWay(kind);
    const watermark = way.open();
    if (kind === 'streams') {
      await expect(watermark.measure(), 'nobody has created the group yet').rejects.toThrow('no consumer');
      for (const lane of LANES) expect(watermark.lagMs(lane), 'not known, rather than 0').toBeUndefined();
    }
    for (const part of Object.values(way.parts)) part.start();

    for (const { part, what, change, arrived, lanes = LANES } of stands) {
      const from = performance.now();
      for (const lane of LANES) await untilApplied(watermark, lane, from);
      await way.parts[part].stop();
      // The clock is read before the change and after it. Every number below lies between the ages of these readings.
      const before = performance.now();
      for (const lane of LANES) await untilApplied(watermark, lane, before);
      await change(way);
      const after = performance.now();
      const age = (measured: AppliedWatermark, lane: Lane, since: number) => {
        const [asked, lag, answered] = [performance.now(), measured.lagShownMs(lane) ?? Number.NaN, performance.now()];
        expect(lag, `${what}, ${lane} lane`).toBeGreaterThanOrEqual(asked - after);
        expect(lag, `${what}, ${lane} lane`).toBeLessThanOrEqual(answered - since);
        return lag;
      };
      await until(() => arrived(way));
      // A process that starts now knows it, too: greater by the time that keeping and reading it took.
      const started = await until(async () => {
        await watermark.measure();
        const opened = way.open();
        await opened.measure();
        return LANES.every((lane) => Number(opened.lagShownMs(lane)) <= performance.now() - from) && opened;
      });
      const seen: number[] = [];
      for (let look = 0; look < 4; look++) {
        await watermark.measure();
        for (const lane of lanes) {
          seen.push(age(watermark, lane, before));
          age(started, lane, from);
        }
      }
      expect(seen, 'it grows').toEqual(seen.toSorted((a, b) => a - b));
      const read = performance.now();
      if (!lanes.includes('small')) await untilApplied(watermark, 'small', read);
      way.parts[part].start();
      for (const lane of LANES) await untilApplied(watermark, lane, after);
    }
  });
});

describe.runIf(hasKafka())(
  'the age of the oldest change that is not applied, while no consumer runs, of a topic',
  () => {
    const withoutConsumer = async () => {
      const way = await openWay('kafka');
      for (const part of Object.values(way.parts)) part.start();
      await way.upload(OWNER);
      for (const lane of LANES) await untilApplied(way.open(), lane, performance.now());
      await way.parts.consumer.stop();
      return way;
    };

    it('that is made again is not known, although nothing waits', async () => {
      const { settings, open, upload, waiting } = await withoutConsumer();
      await upload(OWNER);
      await until(() => waiting('small'));
      await makeAgain(settings.TOPIC ?? '');
      const watermark = open();
      await until(async () => (await waiting('small')) === 0);
      await expect(watermark.measure()).rejects.toThrow('consumers have yet to find that');
      expect(watermark.lagShownMs('small')).toBeGreaterThan(0); // as old as it was
    });

    it('whose log has lost its end is not known', async () => {
      const { settings, open } = await withoutConsumer();
      await sql(String(settings.MYSQL_URL), 'UPDATE recency_kafka_ends SET end_offset = end_offset + 7');
      await expect(open().measure()).rejects.toThrow('consumers have yet to find that');
    });
  },
);
