import { randomUUID } from 'node:crypto';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker } from '../../src/consumers/work-plan.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { inTurn, type RaiseBarrier } from '../../src/index/drain-barrier.ts';
import { drainBarrierOf } from '../../src/index/index-drain-barrier.ts';
import type { Steps } from '../../src/index/protocol.ts';
import { answersAtOnce, askViews } from '../../src/index/store-fault.ts';
import { OutboxRelay } from '../../src/relay/relay.ts';
import { ConsumerGroup } from '../../src/transport/streams/consumer-group.ts';
import { streamsBarrier } from '../../src/transport/streams/drain-barrier.ts';
import { logger, type Opened, open } from '../transport/place.ts';
import { closeAtEnd, redisUrl } from './servers.ts';
import type { Stores } from './stores.ts';
import { recordedStream } from './stream-record.ts';
import { TRUSTED } from './trust.ts';

interface ConsumingOptions {
  /** The Redis that carries the stream. */
  readonly url?: string;
  /** Followers read at once. */
  readonly pageSize?: number;
  /** Without a relay, tasks wait in the outbox until the test calls `relayOnce`. */
  readonly relays?: boolean;
}

export interface Consuming {
  /** Raises a barrier behind the tasks that are on their way. */
  readonly raiseBarrier: RaiseBarrier;
  readonly transport: Opened;
  /** Unacknowledged tasks on the stream. */
  lag(): Promise<number | undefined>;
  relayOnce(): Promise<unknown>;
  stop(): Promise<void>;
}

/** Runs relay, consumer and delayed worker on a stream of their own, as their processes do, until the test file ends. */
export async function startConsuming(stores: Stores, options: ConsumingOptions = {}): Promise<Consuming> {
  const { url = redisUrl(), pageSize = 500, relays = true } = options;
  const { redis, primary, prefix, steps, patient, delayed, rechecks } = stores;
  const answers = answersAtOnce(askViews(primary, [CONTACTS]));
  const stream = `${prefix}:{tasks}:stream`;
  const transport = await open({ kind: 'streams', url, stream });
  const { publisher, deadLetters } = transport;
  // One stream is both lanes.
  const publish: Steps['publish'] = async (tasks) =>
    void (await publisher.publish(
      tasks.map((task) => ({ task, id: randomUUID(), source: '/test', time: Date.now() })),
    ));
  const consumer = new TaskConsumer({
    watch: TRUSTED,
    ...{ source: transport.source(), deadLetters, logger, answers },
    worker: new TaskWorker({ lane: 'bulk', steps: { ...steps, publish }, pageSize }),
    onLoss: async ({ detail }) => {
      throw new Error(`tasks were lost: ${detail}`);
    },
  });
  const relay = new OutboxRelay({ database: primary, publisher, deadLetters, logger });
  const ending = new AbortController();
  const running = [
    consumer.run(),
    ...(relays ? [relay.run(ending.signal)] : []),
    new DelayedWorker({ watch: TRUSTED, steps, patient, delayed, rechecks, logger, answers, deadLetters }).run(
      ending.signal,
    ),
  ];
  let stopped: Promise<void> | undefined;
  const end = async () => {
    ending.abort();
    await consumer.stop();
    await Promise.all(running);
    await transport.close();
  };
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  closeAtEnd(stop);
  const view = new ConsumerGroup({ client: redis, stream, group: 'g', consumer: 'none' });
  const onTransport = streamsBarrier({
    client: redis,
    stream,
    group: 'g',
    view,
    recorded: recordedStream(redis, stream),
  });
  return {
    // An upload leaves a plan in the same stream, and the plan its segments.
    raiseBarrier: drainBarrierOf({ primary, rechecks, delayed }, inTurn([onTransport, onTransport, onTransport])),
    transport,
    lag: async () => {
      const backlog = await view.backlog();
      return backlog && backlog.delivered + backlog.undelivered;
    },
    relayOnce: () => relay.runOnce(),
    stop,
  };
}
