import { runProcess } from '../../src/app/run-process.ts';
import { loadConfig } from '../../src/config/config.ts';
import { openLogger } from '../../src/tracing/logger.ts';

/** A process with something that never closes. */
const config = loadConfig();
await runProcess({ config, logger: openLogger(config, 'consume') }, async ({ logger, resources }) => {
  const busy = setInterval(() => undefined, 1_000);
  resources.defer(async () => {
    await new Promise(() => undefined);
    clearInterval(busy);
  });
  logger.info('consuming');
});
