import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pack } from '../../scripts/pack.ts';
import { childEnvironment } from '../../src/config/environment.ts';
import { build, commandOf, packageFolder } from '../support/built-package.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { freshDatabase, mysqlUrl, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';
import { oldTarball, UpgradeTraffic } from '../support/upgrade-traffic.ts';

/** The package as installed: the `files` of package.json, and its dependencies. */
const folder = packageFolder();
const built = commandOf(folder);
type Built = typeof built;

beforeAll(() => build(folder), 120_000);

/** As in a shell of its own: `npx` must not find the command in this project, and npm not take its settings from the run of the tests. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const kept = Object.entries(childEnvironment({})).filter(([name]) => !name.startsWith('npm_'));
  return { ...Object.fromEntries(kept), PATH: [dirname(process.execPath), ...others].join(delimiter) };
}

/** Packs the build and installs the tarball, with its dependencies, in a site's empty folder. @returns the folder */
function installed(): string {
  const site = mkdtempSync(join(tmpdir(), 'recency-site-')); // outside of any package: npm looks for one in the folders above
  const tarball = oldTarball() ?? pack(join(folder, 'dist'), folder);
  const args = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', tarball];
  execFileSync('npm', args, { cwd: site, env: npmEnvironment(), timeout: 150_000 });
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

/** A site's folder, where the tarball is installed once. */
let siteFolder: string | undefined;
afterAll(() => {
  if (siteFolder !== undefined) rmSync(siteFolder, { recursive: true, force: true });
});
function site(): string {
  siteFolder ??= installed();
  return siteFolder;
}

describe('the package where its tarball is installed', () => {
  beforeAll(() => void site(), 180_000);

  it('runs with npx', () => {
    const npx = (...args: string[]) => {
      const command = ['--no-install', 'recency', ...args];
      return execFileSync('npx', command, { cwd: site(), encoding: 'utf8', env: npmEnvironment() });
    };
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(npx('--version')).toBe(`${version}\n`);
    expect(npx('--help')).toContain('Usage: recency');
  });

  it('migrates, serves, consumes and relays', () => {
    const cwd = join(site(), 'node_modules', 'recency');
    return migratesServesConsumesAndRelays({ main: join(cwd, 'bin', 'recency.mjs'), cwd });
  });

  it.each([
    ['npx recency relay', ['--no-install', 'recency', 'relay']],
    ['a shell that npx starts', ['--no-install', '-c', 'recency relay; exit $?']],
  ])('ends in order on SIGTERM to %s', async (_, args) => {
    const { npx, allEnded, log } = await underNpx(args, site(), await serviceSettings());
    expect(log()).toContain('relaying the outbox');
    npx.kill('SIGTERM');
    await allEnded;
    expect(log()).toContain('"msg":"ended"');
  });
});

interface FreshAnswer {
  readonly contacts: readonly { readonly last_upload_at: string }[];
  readonly answer: { readonly source: string; readonly lag_ms: number | null };
}

describe('an upgrade from the package where its tarball is installed', () => {
  const USERS = ['1', '2', '3'];
  const CONTACTS = Array.from({ length: 30 }, (_, i) => String(100 + i));

  const addressOf = ({ stdout }: CliProcess) => String(/"address":"(http:[^"]+)"/.exec(stdout)?.[1]);

  async function start(settings: Settings, version: Built | undefined) {
    const processes = ['serve', 'consume', 'relay'].map((command) => new CliProcess([command], settings, version));
    onTestFinished(async () => {
      for (const one of processes) await one[Symbol.asyncDispose]();
    });
    const [serve, consume, relay] = processes as [CliProcess, CliProcess, CliProcess];
    await Promise.all([serve.says('answering at'), consume.says('consuming'), relay.says('relaying')]);
    return { serve, consume, relay };
  }

  async function ends(old: CliProcess): Promise<void> {
    old.signal('SIGTERM');
    expect((await old.ended).code).toBe(0);
  }

  it('answers every request rightly while processes of both versions run, and no change is lost', async () => {
    const cwd = join(site(), 'node_modules', 'recency');
    const settings = await serviceSettings();
    const pool = freshSitePool(settings.MYSQL_URL);
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    const old = await start(settings, { main: join(cwd, 'bin', 'recency.mjs'), cwd });
    expect((await runCli(['migrate'], settings)).code).toBe(0);
    const traffic = new UpgradeTraffic(pool, USERS, CONTACTS, [addressOf(old.serve)]);
    const more = (answers: number) => until(() => traffic.seen.answers >= answers);
    await more(200);
    const now = await start(settings, undefined);
    traffic.servers = [addressOf(old.serve), addressOf(now.serve)];
    await more(traffic.seen.answers + 200);
    for (const process of [old.consume, old.relay]) await ends(process);
    await more(traffic.seen.answers + 200);
    await ends(old.serve); // the balancer finds out by itself
    await more(traffic.seen.answers + 200);
    const { faults } = await traffic.stop();
    expect(faults).toEqual([]);
    await until(async () => {
      const response = await fetch(`${addressOf(now.serve)}/v1/users/1/contacts/recent?limit=1`);
      const { contacts, answer } = (await response.json()) as FreshAnswer;
      const newest = new Date(traffic.newest).toISOString();
      return answer.source === 'index' && answer.lag_ms === 0 && contacts[0]?.last_upload_at === newest;
    });
    const { code, json } = await runCli(['verify', '--json'], settings);
    expect(json()[0]).toMatchObject({ warm: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
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
