import { bumpEpoch } from '../index/epoch.ts';
import { adoptSettings, type Difference } from './shared-settings.ts';
import { withPrimary } from './with-primary.ts';

/**
 * Makes this process's settings those that every process must share. The new epoch comes last: whatever was built until
 * then, perhaps from tasks that went elsewhere, is cold.
 * @throws ConfigError, StartError, DatabaseUnavailable
 */
export async function adoptConfig(): Promise<{ changed: Difference[]; epoch: string }> {
  return await withPrimary(async ({ config, primary }) => {
    const changed = await adoptSettings(primary, config);
    const changes = changed.map(({ name, remembered, here }) => `${name} ${remembered} → ${here}`).join(', ');
    return { changed, epoch: await bumpEpoch(primary, `settings adopted: ${changes || 'none had changed'}`) };
  });
}
