import { fileURLToPath } from 'node:url';
import { apiReference } from './api.ts';
import { commandsReference } from './commands.ts';
import { errorsReference } from './errors.ts';
import { metricsReference } from './metrics.ts';
import { sessionReference } from './session.ts';
import { settingsReference } from './settings.ts';
import { sqlReference } from './sql.ts';

/** The pages of the reference that are generated from the code. @returns each page's text by its path */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const path = (name: string) => fileURLToPath(new URL(`../../docs/reference/${name}.md`, import.meta.url));
  return new Map([
    [path('settings'), settingsReference()],
    [path('commands'), await commandsReference()],
    [path('errors'), errorsReference()],
    [path('metrics'), metricsReference()],
    [path('api'), await apiReference()],
    [path('sql'), await sqlReference()],
    [path('session'), sessionReference()],
  ]);
}
