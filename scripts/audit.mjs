/**
 * Compares every package of package-lock.json with the known vulnerabilities: by `npm audit` where the registry answers that,
 * otherwise by OSV (https://osv.dev). Exit codes: 0 none is known, 1 some are, 2 nobody could be asked, so nothing is known.
 * A command of its own (`npm run audit`), because what it says depends on the day and the network, and no test may.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where OSV is asked; another address is for a mirror of it. */
const OSV_URL = process.env.OSV_URL ?? 'https://api.osv.dev';

/** At most this many packages in a request: OSV's own limit is 1,000. */
const AT_ONCE = 500;
const TIMEOUT_MS = 30_000;

const [found, asked] = (await firstAnswer([askNpm, askOsv])) ?? [];
if (found === undefined) {
  console.error('NOT CHECKED: neither the registry nor OSV could be asked, so nothing is known about vulnerabilities.');
  process.exitCode = 2;
} else {
  for (const line of found) console.log(line);
  console.log(`${asked}: ${found.length === 0 ? 'no known vulnerability' : `${found.length} known vulnerabilities`}`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

/** The first of the sources that answers; why the others did not is said. */
async function firstAnswer(sources) {
  for (const source of sources) {
    try {
      return await source();
    } catch (error) {
      console.error(`${error.message}${error.cause === undefined ? '' : ` (${error.cause.message})`}`);
    }
  }
  return undefined;
}

function askNpm() {
  const { stdout, error } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 2 * TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (error !== undefined) throw new Error('npm audit could not be run', { cause: error });
  const report = parsed(stdout);
  if (report?.vulnerabilities === undefined) {
    throw new Error(`npm audit: ${report?.message ?? report?.error?.summary ?? 'the registry gives no report'}`);
  }
  const found = Object.values(report.vulnerabilities).map(
    ({ name, severity, range }) => `${severity}: ${name} ${range}`,
  );
  return [found, 'npm audit'];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function askOsv() {
  const packages = lockedPackages();
  const found = [];
  for (let from = 0; from < packages.length; from += AT_ONCE) {
    found.push(...(await vulnerabilitiesOf(packages.slice(from, from + AT_ONCE))));
  }
  return [found, 'OSV'];
}

async function vulnerabilitiesOf(packages) {
  const queries = packages.map(({ name, version }) => ({ package: { ecosystem: 'npm', name }, version }));
  const response = await fetch(`${OSV_URL}/v1/querybatch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ queries }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error) => {
    throw new Error(`OSV (${OSV_URL}) did not answer`, { cause: error.cause ?? error });
  });
  if (!response.ok) throw new Error(`OSV (${OSV_URL}) answered with status ${response.status}`);
  const { results } = await response.json();
  if (results?.length !== packages.length) throw new Error(`OSV (${OSV_URL}) left packages out`);
  return results.flatMap(({ vulns = [] }, i) =>
    vulns.map(({ id }) => `${id}: ${packages[i].name} ${packages[i].version}`),
  );
}

/** Each package and version once. Links are the project's own workspaces. */
function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  const found = new Map();
  for (const [path, { name, version, link }] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || link) continue;
    const installedAs = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    found.set(`${installedAs}@${version}`, { name: installedAs, version });
  }
  return [...found.values()];
}
