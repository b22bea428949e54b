import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeRelease } from '../../scripts/release.ts';
import { childEnvironment } from '../../src/config/environment.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { findHelm } from '../support/helm.ts';
import { runInProcess } from '../support/in-process.ts';
import { installTarball, npmEnvironment, packTree } from '../support/installed-tarball.ts';
import { installRelease, lastRelease } from '../support/last-release.ts';
import { shortOrLong } from '../support/length.ts';
import { RollingUpgrade } from '../support/rolling-upgrade.ts';
import { freshDatabase } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';
import { UpgradeTraffic } from '../support/upgrade-traffic.ts';

const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8'));

let tree: ReturnType<typeof packTree>;
let site: ReturnType<typeof installTarball>;
beforeAll(() => {
  tree = packTree();
  site = installTarball(tree.tarball);
}, 900_000);

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

it('is a part of a release, with the client, the chart, an SBOM and their checksums', () => {
  const folder = join(dirname(tree.tarball), 'release');
  const files = makeRelease({ folder, dist: join(dirname(tree.tarball), 'dist'), helm: findHelm() });
  expect(files.packages.map((file) => basename(file))).toEqual([
    `recency-${VERSION}.tgz`,
    `recency-client-${VERSION}.tgz`,
  ]);
  const client = execFileSync('tar', ['-tzf', String(files.packages[1])], { encoding: 'utf8' }).split('\n');
  expect(client).toEqual(expect.arrayContaining(['package/dist/client.js', 'package/dist/client.d.ts']));
  expect(basename(files.chart)).toBe(`recency-${VERSION}.tgz`);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  const { components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  expect(components.map(({ name }: { name: string }) => name)).toContain('ioredis');
});

describe('the package where its tarball is installed', () => {
  it('runs with npx', () => {
    const command = ['--no-install', 'recency', '--version'];
    const said = execFileSync('npx', command, { cwd: site.folder, encoding: 'utf8', env: npmEnvironment() });
    expect(said).toBe(`${VERSION}\n`);
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

  it('and back gives no wrong answer and no error, and loses no task', { timeout: 900_000 }, async () => {
    const old = release === undefined ? site.command : installRelease(release);
    const settings = await serviceSettings();
    const pool = freshSitePool(settings.MYSQL_URL);
    await writeSite(pool, everybodyKnows(USERS, CONTACTS));
    const epoch = async () => (await runInProcess(['epoch', 'show', '--json'], settings)).json()[0].epoch;
    const before = await epoch();

    const upgrade = await RollingUpgrade.begin(old, settings, ['INDEX_ABOVE', 'KEEP']);
    const traffic = new UpgradeTraffic(pool, USERS, CONTACTS, () => upgrade.servers);
    onTestFinished(async () => void (await traffic.stop()));
    const meanwhile = () => until(traffic.moreOfEach(shortOrLong(5, 20)));
    await until(async () => (await traffic.ask('1')).answer.source === 'index');
    await upgrade.run(tree.command, meanwhile);
    const between = await epoch();
    await upgrade.goBack(old, meanwhile);
    const { faults, narrowed } = await traffic.stop();

    expect(faults).toEqual([]);
    expect(narrowed, 'exact answers of the index').toBeGreaterThan(0);
    await traffic.untilAllIsShown(USERS);
    const { code, json } = await runInProcess(['verify', '--json'], settings);
    expect(json()[0]).toMatchObject({ warm: USERS.length, wrong: 0, answers_wrong: 0, unsettled: 0 });
    expect(code).toBe(0);
    // Version 0.1.0 marks no position: the first consumers after it begin one epoch. Nothing else counts as a loss.
    expect(new Set([before, between, await epoch()]).size, 'epochs').toBeLessThanOrEqual(2);
    const letters = await runInProcess(['dlq', 'list', '--json'], settings);
    expect(letters.json(), 'no task was given up').toEqual([{ dead_letters: [] }]);
  });
});
