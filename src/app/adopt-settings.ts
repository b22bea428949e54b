import type { Config } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import { nextEpoch, readEpoch } from '../mysql/epoch.ts';
import { isSuspended } from '../mysql/epoch-token.ts';
import { forgetKafka } from '../mysql/kafka-ends.ts';
import type { DifferingSetting } from '../mysql/settings.ts';
import { forgetStreams } from '../mysql/stream-record.ts';
import { openLogger } from '../tracing/logger.ts';
import { adoptSettings, type Located, settingsToAdopt } from './shared-settings.ts';
import { withPrimary } from './stores.ts';
import { openSmallLane } from './transport.ts';

/** The result of `config adopt`. */
export interface Adopted {
  readonly changed: readonly DifferingSetting[];
  /** Token of the epoch in force. */
  readonly epoch: string;
  /** The consumers must first catch up with lost tasks, so no index is built yet. */
  readonly suspended: boolean;
}

/**
 * Makes these settings the ones that all processes must share, and begins a new epoch: indexes that were built before, perhaps
 * from tasks sent elsewhere, are cold. Settings that are remembered already change nothing. A suspended epoch ends, because nobody
 * will catch up in the old location.
 *
 * The epoch begins with the change of the settings, and nothing is left to do then: a run that is killed midway can be repeated.
 * @throws DatabaseUnavailable, EpochMissing, what asking the transport throws
 */
export async function adopt(primary: Database, config: Config, transport?: Located): Promise<Adopted> {
  const changed = await settingsToAdopt(primary, config, transport);
  if (changed.length === 0) {
    await adoptSettings(primary, config, transport); // those that no process has remembered yet
    const { token } = await readEpoch(primary);
    return { changed, epoch: token, suspended: isSuspended(token) };
  }
  const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
  // Otherwise the consumers would report that the new streams and topics lack what was published to the old ones.
  await forgetStreams(primary);
  if (changed.some(({ name }) => name === 'RECENCY_KAFKA_BROKERS')) await forgetKafka(primary);
  await adoptSettings(primary, config, transport, nextEpoch(`settings adopted: ${changes}`));
  const { token } = await readEpoch(primary);
  return { changed, epoch: token, suspended: isSuspended(token) };
}

/** The same with the settings of this process. Kafka must answer: it says which cluster it is. @throws ConfigError, StartError, see above */
export function adoptOwnSettings(signal: AbortSignal): Promise<Adopted> {
  return withPrimary(async ({ config, primary }) => {
    if (config.transport !== 'kafka') return await adopt(primary, config);
    await using resources = new AsyncDisposableStack();
    const logger = openLogger({ logLevel: 'silent' }, 'adopt', 2);
    const transport = openSmallLane({ config, logger, resources, primary }, 'adopt');
    await transport.untilAnswers(signal);
    return await adopt(primary, config, transport);
  }, signal);
}
