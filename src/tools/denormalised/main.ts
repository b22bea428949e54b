/** Keeps the denormalised table of a site up to date by its tasks, in a process of its own, until SIGTERM. */
import { openPrimary } from '../../app/open-mysql.ts';
import { inBackground, type ProcessContext, runProcess } from '../../app/run-process.ts';
import { openTransport } from '../../app/transport.ts';
import { loadConfig } from '../../config/config.ts';
import { TaskConsumer } from '../../consumers/task-consumer.ts';
import { openLogger } from '../../tracing/logger.ts';
import { openDenormalisedPool } from './pool.ts';
import { DenormalisedUpdater } from './updater.ts';

const config = loadConfig();
await runProcess({ config, logger: openLogger(config, 'denormalised') }, start);

async function start(context: ProcessContext): Promise<void> {
  const { logger, resources, signal } = context;
  const primary = resources.adopt(openPrimary(config), (opened) => opened.close());
  const pool = resources.adopt(openDenormalisedPool(config.mysqlUrl), (opened) => opened.end());
  const transport = openTransport({ ...context, primary }, 'denormalised');
  await transport.untilReady(signal);
  const source = transport.openSource({ doIndexesExist: async () => true });
  const deadLetters = resources.adopt(transport.openDeadLetters(), (opened) => opened.close());
  const consumer = new TaskConsumer({
    ...{ source, deadLetters, logger, worker: new DenormalisedUpdater(pool) },
    watch: { during: (work) => work() }, // it writes nothing to Redis
    // Nothing tells which rows are wrong then, and there is no other table to answer from meanwhile.
    onLoss: async ({ detail }) => {
      const error = new Error(`tasks were lost, the table must be filled again: ${detail}`);
      context.fail(error);
      throw error;
    },
  });
  inBackground(context, async (stopping) => {
    stopping.addEventListener('abort', () => void consumer.stop(), { once: true });
    await consumer.run();
  });
}
