import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment } from '../../src/config/environment.ts';
import { build, commandOf, packageFolder } from '../support/built-package.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { freshDatabase, mysqlUrl, redisUrl } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { until } from '../support/until.ts';

/** The package as installed: the `files` of package.json, and its dependencies. */
const folder = packageFolder();
const built = commandOf(folder);
type Built = typeof built;

beforeAll(() => build(folder));

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
  await until(async () => ((await (await get('/readyz')).json()) as { status: string }).status === 'ready');
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

  it('runs backfill, verify, repair and doctor', async () => {
    const commands = ['backfill', 'verify', 'repair', 'doctor'].map((command) => [command, '--json']);
    for (const { code, stderr } of await inOneProcess(commands, await serviceSettings())) expect(code, stderr).toBe(0);
  });

  it('says that its tools are not included', async () => {
    const tools = ['stack up', 'import x', 'demo', 'bench', 'size --users 1'].map((command) => command.split(' '));
    const said = await inOneProcess(tools, {});
    for (const [i, [name]] of tools.entries()) {
      const stderr = `This build of Recency has no \`${name}\`: it was built without src/tools.\n`;
      expect(said[i]).toEqual({ code: 2, stderr });
    }
  });

  /** Runs commands of the build one after the other: each process takes a second of the processor to start. */
  async function inOneProcess(commands: readonly string[][], settings: Settings) {
    const program = pathToFileURL(join(bare, 'dist', 'cli', 'program.js'));
    const script = join(bare, 'commands.mjs');
    writeFileSync(script, IN_ONE_PROCESS);
    const args = [script, program.href, JSON.stringify(commands)];
    const env = childEnvironment(settings) as NodeJS.ProcessEnv;
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: bare });
    return JSON.parse(stdout) as { code: number; stderr: string }[];
  }
});

/** Prints how each command ended, and what it said on stderr. */
const IN_ONE_PROCESS = `
const [program, commands] = process.argv.slice(2);
const { runCommandLine } = await import(program);
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const ended = [];
for (const args of JSON.parse(commands)) {
  let stderr = '';
  process.stderr.write = (text) => ((stderr += text), true);
  ended.push({ code: await runCommandLine(args), stderr });
}
print(JSON.stringify(ended));
`;
