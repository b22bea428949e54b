/**
 * Installs the dependencies when node_modules is missing or does not match the lock file. Runs before anything is
 * installed and on any Node from 20, so it is plain JavaScript and needs nothing. Quiet unless it fails; what it says
 * goes to stderr, because the command after it may print for a program.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages whose install script is needed: `node` brings the runtime itself. Of the others none runs. */
const PACKAGES_WITH_SCRIPTS = ['node'];

function main() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Node ${process.versions.node} is too old to install Recency: it needs Node 20 or newer.`);
  if (!isInstalled()) install();
  if (runtimeVersion() !== wantedRuntime()) npm(['rebuild', '--ignore-scripts=false', ...PACKAGES_WITH_SCRIPTS]);
  if (runtimeVersion() !== wantedRuntime()) fail(`Node ${wantedRuntime()} did not come with the dependencies.`);
}

/** Compares what npm noted of the installed tree with the lock file, package by package. */
function isInstalled() {
  const noted = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (noted === undefined) return false;
  const wanted = Object.entries(readJson(join(root, 'package-lock.json')).packages).filter(([path]) => path !== '');
  return wanted.every(([path, { version, optional }]) => {
    const installed = noted.packages[path];
    return installed === undefined ? optional === true : installed.version === version && existsSync(join(root, path));
  });
}

function install() {
  process.stderr.write('Installing the dependencies (once) …\n');
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false']);
}

/** The Node that came with the dependencies, for example `24.21.0`; undefined when there is none. */
function runtimeVersion() {
  const runtime = join(root, 'node_modules', '.bin', 'node');
  const { status, stdout } = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim().slice(1) : undefined;
}

function wantedRuntime() {
  return readJson(join(root, 'package-lock.json')).packages['node_modules/node'].version;
}

function npm(args) {
  const { status, error, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: pathOutside(), SCARF_ANALYTICS: 'false' },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) fail(`npm could not be run: ${error.message}`);
  if (status !== 0) fail(`npm ${args[0]} failed:\n${stdout}${stderr}`);
}

/** Without the folder that npm empties: its own `node` must not be the one that runs npm. */
function pathOutside() {
  const inside = `${sep}node_modules${sep}.bin`;
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(inside))
    .join(delimiter);
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

main();
