import type { SettingName } from '../../../config/settings.ts';
import { modulePath, type ProcessGroup, type ServiceProcess } from '../processes/process-group.ts';

/** Keeps the denormalised table up to date by the tasks of the transport, in its own process. */
export function startUpdater(
  processGroup: ProcessGroup,
  name = 'denormalised updater',
  settings: Partial<Record<SettingName, string>> = {},
): ServiceProcess {
  return processGroup.start({
    name,
    module: modulePath(import.meta.url, '../../denormalised/main'),
    args: [],
    settings,
  });
}
