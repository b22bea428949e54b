import { expect, it } from 'vitest';
import { ask } from '../support/api.ts';
import { startProcess } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { freshName } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const RECENT = '/v1/users/2/contacts/recent';

it('a process that is left running uses no index once other settings are adopted, and ends', async () => {
  const settings = await serviceSettings();
  await indexedSite(settings, ['2'], ['1']);
  const serve = await startProcess('serve', settings);
  const url = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  /** Undefined: it has ended. */
  const source = () =>
    ask({ url }, RECENT).then(
      ({ body }) => String(body.answer?.source),
      () => undefined,
    );
  await until(async () => (await source()) === 'index');

  const { code, stderr } = await runInProcess(['config', 'adopt'], { ...settings, TOPIC: freshName() });
  expect(code, stderr).toBe(0);
  const sources = new Set<string | undefined>();
  await until(async () => {
    const last = await source();
    sources.add(last);
    return last === undefined;
  });
  expect(sources).not.toContain('index');
  expect(sources).toContain('database');
  expect((await serve.ended).code).toBe(1);
  expect(serve.stdout).toMatch(/RECENCY_TOPIC is .* here, but the processes of this database use/);
});
