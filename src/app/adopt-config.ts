import type { Config } from '../config/config.ts';
import { bumpEpoch, bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { isSuspended } from '../mysql/pairs.ts';
import { adoptSettings, type Difference } from './shared-settings.ts';
import { withPrimary } from './with-primary.ts';

export interface Adopted {
  readonly changed: readonly Difference[];
  /** The token in force. */
  readonly epoch: string;
  /** No index is built yet: lost tasks are still to be caught up with. */
  readonly suspended: boolean;
}

/** As `adopt`, on the primary of this process's settings. @throws ConfigError, StartError, DatabaseUnavailable */
export async function adoptConfig(): Promise<Adopted> {
  return await withPrimary(({ config, primary }) => adopt(primary, config));
}

/**
 * Makes these settings those that every process must share. The new epoch comes last: whatever was built until then,
 * perhaps from tasks that went elsewhere, is cold. A suspended epoch stays suspended, unless tasks are in another place
 * now: what was lost in the old one cannot be caught up with there any more.
 * @throws DatabaseUnavailable, EpochMissing
 */
export async function adopt(primary: Database, config: Config): Promise<Adopted> {
  const changed = await adoptSettings(primary, config);
  const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
  const begin = changed.some(({ refused }) => refused) ? bumpEpoch : bumpKeepingSuspension;
  const epoch = await begin(primary, `settings adopted: ${changes || 'none had changed'}`);
  return { changed, epoch, suspended: isSuspended(epoch) };
}
