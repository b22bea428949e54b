import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CliProcess, type Settings, startProcess } from '../support/cli.ts';
import { indexedSite } from '../support/indexed-site.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { listen } from '../support/streams.ts';
import { until } from '../support/until.ts';

const RECENT = '/v1/users/2/contacts/recent';
const [OLD, KEPT, OLD_ADMIN] = ['old-token:read', 'kept-token:read', 'old-admin:admin'];
const AGAIN = 'secrets and certificates were read again';

let settings: Settings & { MYSQL_URL: string };
let file: string;

beforeAll(async () => {
  settings = await serviceSettings();
  await indexedSite(settings, ['2'], ['1']);
  const folder = mkdtempSync(join(tmpdir(), 'recency-tokens-'));
  file = join(folder, 'tokens');
  return () => rmSync(folder, { recursive: true });
});

const bearer = (entry: string) => ({ Authorization: `Bearer ${entry.slice(0, entry.lastIndexOf(':'))}` });

async function statusOf(url: string, entry: string): Promise<number> {
  const { status } = await fetch(url + RECENT, { headers: { ...bearer(entry), Connection: 'close' } });
  return status;
}

async function serve(tokens: readonly string[], workers = 1) {
  writeFileSync(file, tokens.join('\n'));
  const cli = new CliProcess(['serve', '--workers', String(workers)], settings, {
    more: { RECENCY_TOKENS_FILE: file },
  }).killAtEnd();
  const said = (text: string) => cli.stdout.split(text).length - 1;
  await until(() => said('answering at') >= workers);
  return { cli, said, url: String(/"address":"(http:[^"]+)"/.exec(cli.stdout)?.[1]) };
}

/** What the process says of its secrets. */
async function verdict(url: string) {
  const { checks } = (await (await fetch(`${url}/readyz?verbose`)).json()) as { checks: Record<string, object> };
  const metric = /^recency_secrets_refused\{.*\} (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  return { ...checks.secrets, metric };
}

describe('secrets that are replaced while a process runs', () => {
  it('API: a removed token is refused and its streams and sessions end; a wrong file changes nothing, and is told', async () => {
    const { cli, url, said } = await serve([OLD, KEPT, OLD_ADMIN]);
    const [ending, staying] = [
      await listen({ url }, `${RECENT}/stream`, bearer(OLD)),
      await listen({ url }, `${RECENT}/stream`, bearer(KEPT)),
    ];
    const login = await fetch(`${url}/console/login`, {
      method: 'POST',
      body: new URLSearchParams({ token: 'old-admin' }),
      redirect: 'manual',
    });
    const Cookie = String(login.headers.get('set-cookie')?.split(';')[0]);
    const inConsole = async () => (await fetch(`${url}/console`, { headers: { Cookie } })).status;
    expect([ending.status, staying.status, login.status, await inConsole()]).toEqual([200, 200, 303, 200]);

    writeFileSync(file, [KEPT, 'new-token:read'].join('\n'));
    await until(async () => (await statusOf(url, OLD)) === 401);
    await until(ending.isOver);
    expect(staying.isOver()).toBe(false);
    expect([await statusOf(url, KEPT), await statusOf(url, 'new-token:read'), await inConsole()]).toEqual([
      200, 200, 401,
    ]);
    expect(await verdict(url)).toMatchObject({ state: 'fine', metric: '0' });

    writeFileSync(file, `short:read ${KEPT}`);
    await until(() => said('the old ones stay in force') > 0);
    expect(await verdict(url)).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('RECENCY_TOKENS cannot be used'),
      metric: '1',
    });
    expect([await statusOf(url, KEPT), await statusOf(url, 'new-token:read')]).toEqual([200, 200]);
    expect(staying.isOver()).toBe(false);
    expect(cli.stdout + cli.stderr).not.toMatch(/short:|old-token|kept-token/);

    writeFileSync(file, KEPT);
    cli.signal('SIGHUP');
    await until(async () => (await statusOf(url, 'new-token:read')) === 401);
    expect(await verdict(url)).toMatchObject({ state: 'fine', metric: '0' });
    cli.signal('SIGTERM');
    expect((await cli.ended).code).toBe(0);
  });

  it('workers: each of them is told by SIGHUP, and takes the new tokens', async () => {
    const { cli, url, said } = await serve([OLD, KEPT], 2);
    cli.signal('SIGHUP');
    await until(() => said(AGAIN) >= 3); // they and the process that started them
    writeFileSync(file, KEPT);
    const statuses = () => Promise.all(Array.from({ length: 12 }, () => statusOf(url, OLD)));
    await until(async () => (await statuses()).every((status) => status === 401));
    expect(await statusOf(url, KEPT)).toBe(200);
    cli.signal('SIGTERM');
    expect((await cli.ended).code).toBe(0);
    expect(said('another one takes its place')).toBe(0);
  });

  it('another process goes on after SIGHUP', async () => {
    const relay = await startProcess('relay', settings);
    relay.signal('SIGHUP');
    await relay.says(AGAIN);
    expect(relay.stdout).not.toContain('"msg":"ended"');
    relay.signal('SIGTERM');
    expect((await relay.ended).code).toBe(0);
    expect(relay.stdout).toContain('"signal":"SIGTERM","msg":"ending"');
  });
});
