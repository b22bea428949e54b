import type { Database } from '../mysql/database.ts';
import { pause } from '../timing/backoff.ts';
import type { ProcessContext } from './run-process.ts';
import { compareSettings, refusal } from './shared-settings.ts';

const INTERVAL_MS = 10_000;

/** Rejects when other settings were adopted meanwhile: this process would work where nobody looks any more. */
export async function watchSettings(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  primary: Database,
  signal: AbortSignal,
  intervalMs = INTERVAL_MS,
): Promise<void> {
  while (!signal.aborted) {
    await pause(intervalMs, signal);
    const differences = await compareSettings(primary, config).catch((error: unknown) => {
      logger.debug({ err: error }, 'the shared settings could not be compared');
      return [];
    });
    const refused = differences.filter((difference) => difference.refused);
    if (refused.length > 0) throw refusal(refused);
  }
}
