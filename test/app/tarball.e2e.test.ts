import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { childEnvironment } from '../../src/config/environment.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { installTarball, npmEnvironment, packTree } from '../support/installed-tarball.ts';
import { lastRelease, packRelease } from '../support/last-release.ts';
import { RollingUpgrade } from '../support/rolling-upgrade.ts';
import { freshDatabase } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';
import { UpgradeTraffic } from '../support/upgrade-traffic.ts';

let tree: ReturnType<typeof packTree>;
let site: ReturnType<typeof installTarball>;
beforeAll(() => {
  tree = packTree();
  site = installTarball(tree.tarball);
}, 240_000);

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

describe('the package where its tarball is installed', () => {
  it('runs with npx', () => {
    const command = ['--no-install', 'recency', '--version'];
    const said = execFileSync('npx', command, { cwd: site.folder, encoding: 'utf8', env: npmEnvironment() });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(said).toBe(`${version}\n`);
  });

  it('migrates, and answers with what its own dependencies bring', async () => {
    const settings: Settings = { ...(await serviceSettings()), MYSQL_URL: await freshDatabase() };
    const migrated = await runCli(['migrate', '--json'], settings, site.command);
    expect(migrated.json()[0].applied).toContain('0002_reference_tables');
    await using serve = new CliProcess(['serve'], settings, site.command);
    await serve.says('answering at');
    const address = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
    for (const path of ['/v1/users/1/contacts/recent', '/docs', '/openapi.json']) {
      expect((await fetch(`${address}${path}`)).status, path).toBe(200);
    }
  });

  it.each([
    ['npx recency relay', ['--no-install', 'recency', 'relay']],
    ['a shell that npx starts', ['--no-install', '-c', 'recency relay; exit $?']],
  ])('ends in order on SIGTERM to %s', async (_, args) => {
    const { npx, allEnded, log } = await underNpx(args, site.folder, await serviceSettings());
    expect(log()).toContain('relaying the outbox');
    npx.kill('SIGTERM');
    await allEnded;
    expect(log()).toContain('"msg":"ended"');
  });
});

const release = lastRelease();

/** From the last release; where the history holds none, this tree's own tarball stands for it. */
describe(`a rolling upgrade under load, from ${release?.version ?? 'this tree itself'}`, () => {
  const USERS = ['1', '2', '3'];
  const CONTACTS = Array.from({ length: 30 }, (_, i) => String(100 + i));

  it('and back gives no wrong answer and no error, and loses no task', { timeout: 300_000 }, async () => {
    const { command: old } = release === undefined ? site : installTarball(packRelease(release));
    const settings = await serviceSettings();
    const pool = freshSitePool(settings.MYSQL_URL);
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    const epoch = async () => (await runCli(['epoch', 'show', '--json'], settings, tree.command)).json()[0].epoch;
    const before = await epoch();

    const upgrade = await RollingUpgrade.begin(old, settings);
    const traffic = new UpgradeTraffic(pool, USERS, CONTACTS, () => upgrade.servers);
    onTestFinished(async () => void (await traffic.stop()));
    const meanwhile = () => until(traffic.moreOfEach(20));
    await until(async () => (await traffic.ask('1')).answer.source === 'index');
    await upgrade.run(tree.command, meanwhile);
    await upgrade.goBack(old, meanwhile);
    const { faults, narrowed } = await traffic.stop();

    expect(faults).toEqual([]);
    expect(narrowed, 'exact answers of the index').toBeGreaterThan(0);
    await traffic.untilAllIsShown(USERS);
    const { code, json } = await runCli(['verify', '--json'], settings, tree.command);
    expect(json()[0]).toMatchObject({ warm: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
    expect(await epoch(), 'no loss was found').toEqual(before);
    const letters = await runCli(['dlq', 'list', '--json'], settings, tree.command);
    expect(letters.stdout, 'no task was given up').toBe('');
  });
});
