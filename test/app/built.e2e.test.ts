import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, commandOf, packageFolder } from '../support/built-package.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { freshDatabase, mysqlUrl, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';

/** The package as installed: the `files` of package.json, and its dependencies. */
const folder = packageFolder();
const built = commandOf(folder);
type Built = typeof built;

beforeAll(() => build(folder), 120_000);

async function migratesServesConsumesAndRelays(built: Built): Promise<void> {
  const settings: Settings = { ...(await serviceSettings()), MYSQL_URL: await freshDatabase() };
  const migrated = await runCli(['migrate', '--json'], settings, built);
  expect(migrated.json()[0].applied).toContain('0002_reference_tables');
  await using serve = new CliProcess(['serve'], settings, built);
  await using consume = new CliProcess(['consume'], settings, built);
  await using relay = new CliProcess(['relay'], settings, built);
  await Promise.all([serve.says('answering at'), consume.says('consuming'), relay.says('relaying')]);

  const address = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
  const get = async (path: string) => await fetch(`${address}${path}`);
  expect(await (await get('/readyz')).json()).toMatchObject({ status: 'ready' });
  expect((await get('/v1/users/1/contacts/recent')).status).toBe(200);
  expect((await get('/docs')).status).toBe(200);
  expect(await (await get('/openapi.json')).json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  for (const cli of [serve, consume, relay]) cli.signal('SIGTERM');
  for (const cli of [serve, consume, relay]) expect((await cli.ended).code).toBe(0);
}

describe('the built package', () => {
  it('is a command by itself', () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(execFileSync(built.main, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  });

  it('verifies', async () => {
    const { code, json } = await runCli(['verify', '--json'], await serviceSettings(), built);
    expect(json()[0]).toMatchObject({ users: 0, wrong: 0 });
    expect(code).toBe(0);
  });

  it("runs the benchmark, and finds every process's file next to it", async () => {
    const settings: Settings = { MYSQL_URL: mysqlUrl(), REDIS_URL: redisUrl() };
    const { code, stderr, json } = await runCli(['bench', 'read', '--quick', '--json'], settings, built);
    expect(code, stderr).toBe(0);
    expect(json()[0]).toMatchObject({ bench: 'read', ratios: { flatness: expect.any(Number) } });
  });
});

describe('the built package without its tools', () => {
  const bare = packageFolder();
  const without = { main: join(bare, 'bin', 'recency.mjs'), cwd: bare };
  beforeAll(() => {
    cpSync(join(folder, 'dist'), join(bare, 'dist'), { recursive: true });
    rmSync(join(bare, 'dist', 'tools'), { recursive: true });
  });

  it('migrates, serves, consumes and relays', () => migratesServesConsumesAndRelays(without));

  it.each(['backfill', 'verify', 'repair', 'doctor'])('runs %s', async (command) => {
    const { code, stderr } = await runCli([command, '--json'], await serviceSettings(), without);
    expect(code, stderr).toBe(0);
  });

  it.each(['stack up', 'import x', 'demo', 'bench', 'size --users 1'])(
    'says that %s is not included',
    async (command) => {
      const { code, stderr } = await runCli(command.split(' '), {}, without);
      const [name] = command.split(' ');
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `This build of Recency has no \`${name}\`: it was built without src/tools.\n`,
      });
    },
  );
});
