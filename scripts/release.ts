/**
 * `npm run release`: makes everything that a version consists of in `release/`, and prints how each part would be published. With
 * `-- --publish --image NAME --chart oci://…` it publishes: npm packages with provenance, an image for two platforms with
 * provenance and SBOM, and the chart as an OCI artefact.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { isMain } from './is-main.ts';
import { pack } from './pack.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What must say the same in one version. */
export interface ReleaseState {
  /** The version that each file states, by its path. */
  readonly versions: Readonly<Record<string, string>>;
  readonly changelog: string;
  /** Files that differ from the last commit. */
  readonly changedFiles: readonly string[];
}

/** Why this tree must not be published, a line each. */
export function problemsOf({ versions, changelog, changedFiles }: ReleaseState): string[] {
  const [[first, version] = ['', '']] = Object.entries(versions);
  const others = Object.entries(versions).filter(([, other]) => other !== version);
  const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm');
  const [section = ''] = changelog.split(/^## \[(?!Unreleased\])/m);
  const unreleased = section.split('## [Unreleased]')[1]?.trim() ?? '';
  return [
    ...others.map(([file, other]) => `${file} has the version ${other}, and ${first} ${version}`),
    ...(heading.test(changelog) ? [] : [`CHANGELOG.md has no heading "## [${version}] - " with a date`]),
    ...(unreleased === '' ? [] : ['CHANGELOG.md has changes under [Unreleased]: they belong to this version']),
    ...changedFiles.map((file) => `${file} is not committed`),
  ];
}

export interface ReleaseFiles {
  readonly packages: readonly string[];
  readonly chart: string;
}

export interface ReleaseTargets {
  readonly version: string;
  /** Repository of the image, such as registry.example/recency. */
  readonly image: string;
  /** Where the chart goes, such as oci://registry.example/charts. */
  readonly chart: string;
}

/** The commands that publish a version, in order. What users install comes last: the image that the chart names is there by then. */
export function publishing(files: ReleaseFiles, { version, image, chart }: ReleaseTargets): string[][] {
  const attested = ['--provenance=mode=max', '--sbom=true'];
  const platforms = ['--platform', 'linux/amd64,linux/arm64'];
  return [
    ['docker', 'buildx', 'build', ...platforms, ...attested, '--tag', `${image}:${version}`, '--push', '.'],
    ...files.packages.map((tarball) => ['npm', 'publish', tarball, '--access', 'public', '--provenance']),
    ['helm', 'push', files.chart, chart],
  ];
}

function stateOf(): ReleaseState {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const chart = parse(read('deploy/helm/recency/Chart.yaml'));
  const changed = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  return {
    versions: {
      'package.json': JSON.parse(read('package.json')).version,
      'packages/client/package.json': JSON.parse(read('packages/client/package.json')).version,
      'the version of Chart.yaml': chart.version,
      'the appVersion of Chart.yaml': chart.appVersion,
    },
    changelog: read('CHANGELOG.md'),
    changedFiles: changed
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.slice(3)),
  };
}

export interface ReleaseParts {
  /** For the release; replaced. */
  readonly folder: string;
  /** The build of the server. */
  readonly dist: string;
  /** The program, version 3.8 or later. */
  readonly helm: string;
}

/** Packs everything, and writes an SBOM and checksums. @throws when a part cannot be made, with the command that failed */
export function makeRelease({ folder, dist, helm }: ReleaseParts): ReleaseFiles {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(process.execPath, join(root, 'scripts', 'build-client.ts'));
  const server = pack(dist, folder);
  run('npm', 'pack', '--ignore-scripts', '-w', 'packages/client', '--pack-destination', folder);
  const chartFolder = join(folder, 'chart');
  run(helm, 'package', join('deploy', 'helm', 'recency'), '--destination', chartFolder);
  const format = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev'];
  const bill = execFileSync('npm', ['sbom', ...format], { cwd: root, maxBuffer: 1e8 });
  writeFileSync(join(folder, 'sbom.cdx.json'), bill);
  const inFolder = (of: string, pattern: RegExp) =>
    readdirSync(of)
      .filter((name) => pattern.test(name))
      .map((name) => join(of, name));
  const clients = inFolder(folder, /^recency-client-.*\.tgz$/);
  const files = { packages: [server, ...clients], chart: String(inFolder(chartFolder, /\.tgz$/)[0]) };
  const summed = [...files.packages, files.chart, join(folder, 'sbom.cdx.json')];
  const sums = summed.map((file) => `${sha256(file)}  ${file.slice(folder.length + 1)}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return files;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function run(command: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw new Error(`${command} cannot be run (${error.message}): install it`, { cause: error });
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed (exit code ${status})`);
}

function main(): void {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { publish: { type: 'boolean' }, image: text, chart: text } });
  const { publish = false, image = 'IMAGE', chart = 'CHART' } = values;
  if (publish && (values.image === undefined || values.chart === undefined)) {
    throw new Error('--publish needs --image NAME and --chart oci://…: where the image and the chart go');
  }
  const state = stateOf();
  const problems = problemsOf(state);
  for (const problem of problems) console.error(problem);
  if (publish && problems.length > 0) throw new Error('nothing was made or published');
  const version = String(state.versions['package.json']);
  run(process.execPath, join(root, 'scripts', 'build.ts'));
  const files = makeRelease({ folder: join(root, 'release'), dist: join(root, 'dist'), helm: 'helm' });
  for (const [command = '', ...args] of publishing(files, { version, image, chart })) {
    if (publish) run(command, ...args);
    else console.log(`not run: ${[command, ...args].join(' ')}`);
  }
}

if (isMain(import.meta.url)) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
