import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../src/config/environment.ts';
import { build, commandOf, packageFolder } from '../support/built-package.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { freshDatabase, mysqlUrl, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The package as installed: the `files` of package.json, and its dependencies. */
const folder = packageFolder();
const built = commandOf(folder);
type Built = typeof built;

beforeAll(() => build(folder), 120_000);

/** The package without its dependencies, which may be missing from npm's cache; they are linked after the installation. */
function packed(): { tarball: string; version: string } {
  const { dependencies: _1, devDependencies: _2, ...text } = JSON.parse(readFileSync('package.json', 'utf8'));
  const staged = join(folder, 'staged');
  for (const name of ['bin', 'dist', 'migrations']) cpSync(join(folder, name), join(staged, name), { recursive: true });
  writeFileSync(join(staged, 'package.json'), JSON.stringify(text));
  const [name] = execFileSync('npm', ['pack', '--silent'], { cwd: staged, encoding: 'utf8' }).trim().split('\n');
  return { tarball: join(staged, String(name)), version: text.version };
}

/** Runs it as in a separate shell, with this Node: `npx` must not find the command in this project. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return { HOME: process.env.HOME, PATH: [dirname(process.execPath), ...others].join(delimiter) };
}

/** Installs the tarball in a site's folder. @returns the folder */
function installed(tarball: string): string {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'package.json'), '{}');
  const args = ['install', '--ignore-scripts', '--offline', '--no-audit', tarball];
  execFileSync('npm', args, { cwd: site, env: npmEnvironment() });
  symlinkSync(join(root, 'node_modules'), join(site, 'node_modules', 'recency', 'node_modules'));
  return site;
}

/** Whatever is left of the processes that one started. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `npx` with these arguments, as a supervisor starts it. */
async function underNpx(args: readonly string[], cwd: string, settings: Settings) {
  const env: NodeJS.ProcessEnv = { ...childEnvironment(settings), ...npmEnvironment(), npm_lifecycle_event: undefined };
  const npx = spawn('npx', args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => killGroup(npx.pid));
  const heard: string[] = [];
  for (const stream of [npx.stdout, npx.stderr]) stream.setEncoding('utf8').on('data', (text) => heard.push(text));
  // Its output closes when the last process that writes to it has ended, whoever that is.
  const allEnded = once(npx, 'close');
  await until(() => heard.join('').includes('relaying the outbox') || npx.exitCode !== null);
  return { npx, allEnded, log: () => heard.join('') };
}

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

  it('migrates, serves, consumes and relays', () => migratesServesConsumesAndRelays(built));

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

describe('the package where its tarball is installed', () => {
  let site: string;
  let version: string;
  beforeAll(() => {
    const { tarball, ...one } = packed();
    ({ version } = one);
    site = installed(tarball);
  }, 60_000);

  it('runs with npx', () => {
    const args = ['--no-install', 'recency', '--version'];
    expect(execFileSync('npx', args, { cwd: site, encoding: 'utf8', env: npmEnvironment() })).toBe(`${version}\n`);
  });

  it.each([
    ['npx recency relay', ['--no-install', 'recency', 'relay']],
    ['a shell that npx starts', ['--no-install', '-c', 'recency relay; exit $?']],
  ])('ends in order on SIGTERM to %s', async (_, args) => {
    const { npx, allEnded, log } = await underNpx(args, site, await serviceSettings());
    expect(log()).toContain('relaying the outbox');
    npx.kill('SIGTERM');
    await allEnded;
    expect(log()).toContain('"msg":"ended"');
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
