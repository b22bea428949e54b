/**
 * The demonstration's relay: publishes the outbox as `recency relay` does, but shuffles the batches and sends some
 * tasks twice. Arguments: the seed, and the user whose photo tasks are sent once. It sends its counts to its parent
 * process.
 */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openPrimary } from '../../../app/open-mysql.ts';
import { inBackground, type ProcessContext, runProcess } from '../../../app/run-process.ts';
import { openSmallLane } from '../../../app/transport.ts';
import { loadConfig } from '../../../config/config.ts';
import type { DeliveredTask } from '../../../contracts/task.ts';
import { OutboxRelay } from '../../../relay/relay.ts';
import { openLogger } from '../../../tracing/logger.ts';
import { UnrulyPublisher } from '../play/unruly-publisher.ts';
import { seededRandom } from '../random.ts';
import type { UnrulyRelayCounts } from './services.ts';

const [, , seed = '1', spared = ''] = process.argv;

/** Long enough that batches hold many tasks, so that their order matters. */
const BETWEEN_BATCHES_MS = 150;

/** Share of the tasks that are sent twice. */
const AGAIN = 0.1;

const config = loadConfig();
await runProcess({ config, logger: openLogger(config, 'relay') }, startRelay);

async function startRelay(context: ProcessContext): Promise<void> {
  const { logger, resources, signal } = context;
  const extraMs = Math.max(config.kafkaTimeoutMs, config.redisTimeoutMs);
  const database = resources.adopt(openPrimary(config, { extraMs, connections: 2 }), (opened) => opened.close());
  const transport = openSmallLane({ ...context, primary: database }, 'relay');
  await transport.untilReady(signal);
  const inner = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  const deadLetters = resources.adopt(transport.openDeadLetters(), (opened) => opened.close());
  const random = seededRandom(Number(seed));
  const publisher = new UnrulyPublisher(inner, { random, again: AGAIN, isSpared });
  const relay = new OutboxRelay({ database, publisher, deadLetters, logger });
  inBackground(context, (ending) => run(relay, publisher, logger, ending));
}

function isSpared(task: DeliveredTask): boolean {
  return 'owner' in task && task.owner === spared;
}

async function run(relay: OutboxRelay, publisher: UnrulyPublisher, logger: Logger, signal: AbortSignal): Promise<void> {
  let tasks = 0;
  while (!signal.aborted) {
    try {
      const { published } = await relay.runOnce();
      tasks += published;
      if (published === 0) await publisher.sendHeld();
    } catch (error) {
      logger.warn({ err: error }, 'rows of the outbox were not published; they stay where they are');
    }
    const counts: UnrulyRelayCounts = { tasks, sent: publisher.sent, held: publisher.held };
    process.send?.(counts);
    await pause(BETWEEN_BATCHES_MS, undefined, { signal }).catch(() => undefined);
  }
}
