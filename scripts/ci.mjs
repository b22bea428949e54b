/**
 * Lint and the unit tests, so that a slip is told in the first minutes; then the tests on servers, on programs of this machine;
 * the build; and the tests on servers once more in containers, where the tool for them lies beside the project. No test is
 * retried: one that needs a second attempt is a defect to find. Runs on any Node from 20 before anything is installed. What
 * failed is told once more at the end. The last line is `N passed, N failed[, N skipped]`, summed over the runs that happened;
 * a run without a report counts as a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, '.recency', 'ci');
const containers = resolve(root, '..', 'shared', 'tools', 'containers');
const MINUTE = 60_000;

/**
 * What the second run has, as parts of paths: the integration tests, and of those with processes of their own the ones that are about
 * what the servers do. What a benchmark, a browser, npm and killed processes make of the same statements was seen in the first run.
 */
const ON_BOTH = [
  ...[
    '.int.test.',
    'capture/capture.e2e',
    'capture/debezium/',
    'deploy/image.e2e',
    'app/start.e2e',
    'faults/lost-tasks.e2e',
  ],
  ...['faults/streams-full.e2e', 'transport/kafka/permissions.e2e', 'tools/devservers/up.e2e'],
];

/**
 * Tests whose servers are programs in either run: a cluster's nodes, pairs of brokers, servers with certificates, servers whose clocks are
 * set. And those of Kafka alone, which is of the same release in both.
 */
const RUN_ONCE = [
  ...['faults/redis-cluster', 'faults/server-clocks', 'faults/leaderless', 'app/secure-kafka', 'app/secure-redis'],
  ...[
    'transport/kafka.int',
    'kafka/client',
    'kafka/log-ends',
    'kafka/other-producers',
    'kafka/publisher',
    'kafka/source',
  ],
  ...['kafka/topic-reader', 'deploy/alerts'],
];

/** How much of the reason of a failure is told again, in characters. */
const REASON = 2_000;

/** Servers of the machine's own choice would be tested twice, or not at all. */
const GIVEN = ['RECENCY_MYSQL_URL', 'RECENCY_REDIS_URL', 'RECENCY_KAFKA_BROKERS'];

/** The process group of the step that runs now: a session of its own, so that a step that hangs ends as a whole. */
let current;

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (current !== undefined) process.kill(-current, 'SIGKILL');
    process.exit(1);
  });
}

const totals = { passed: 0, failed: 0, skipped: 0 };

/** What failed, told once more at the end: the tests' own output is thousands of lines further up. */
const failures = [];

/** Runs a command to its end, and ends it when it takes longer. Returns whether it succeeded. */
async function run(title, command, { env = {}, minutes }) {
  console.log(`\n=== ${title}`);
  const environment = { ...process.env, CI: 'true', ...env };
  for (const name of GIVEN) delete environment[name];
  const child = spawn('sh', ['-c', command], { cwd: root, env: environment, detached: true, stdio: ['ignore', 1, 2] });
  current = child.pid;
  const timer = setTimeout(() => endCurrent(title, minutes), minutes * MINUTE);
  const [code, signal] = await new Promise((end) => child.once('exit', (...how) => end(how)));
  clearTimeout(timer);
  current = undefined;
  if (code !== 0) console.log(`=== ${title} failed (${signal ?? `exit ${code}`})`);
  return code === 0;
}

function endCurrent(title, minutes) {
  console.log(`=== ${title} took more than ${minutes} minutes`);
  process.kill(-current, 'SIGKILL');
}

/** A step that is right or wrong as a whole: only its failure is counted, because it is no test. */
async function check(title, command, options) {
  if (await run(title, command, options)) return;
  totals.failed += 1;
  failures.push(title);
}

async function test(title, name, prefix, { args = '', env, minutes }) {
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  mkdirSync(reports, { recursive: true });
  const command = `${prefix}npm test -- --reporter=default --reporter=./scripts/ci-reporter.mjs ${args}`;
  const succeeded = await run(title, command, { env: { ...env, CI_REPORT: report }, minutes });
  const { passed, failed, skipped, failures: told } = readReport(report);
  totals.passed += passed;
  totals.failed += Math.max(failed, succeeded ? 0 : 1);
  totals.skipped += skipped;
  for (const { what, reason } of told) failures.push(`${title}: ${what}\n${reason.slice(0, REASON)}`);
  if (!succeeded && told.length === 0) failures.push(`${title}: ended with an error, nothing in it failed`);
}

/** What `ci-reporter.mjs` wrote; one failure when it wrote nothing that can be read, or when no test ran. */
function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    if (report.passed + report.failed > 0) return report;
    throw new Error('no test ran');
  } catch ({ message }) {
    return { passed: 0, failed: 1, skipped: 0, failures: [{ what: 'no report', reason: message }] };
  }
}

/** Their paths: vitest takes no exclusions for a project that has its own. */
function testsOnBoth() {
  const isNamed = (path, names) => names.some((name) => path.includes(name));
  const all = readdirSync(join(root, 'test'), { recursive: true }).map((path) => join('test', path));
  return all.filter((path) => isNamed(path, ON_BOTH) && !isNamed(path, RUN_ONCE)).sort();
}

await check('Lint', 'npm run lint', { minutes: 5 });
await test('Unit tests', 'unit', '', { args: '--project unit', minutes: 10 });
await test('Tests on servers, on programs of this machine', 'programs', '', {
  args: "--project '!unit'",
  env: { STACK_FROM: 'programs' },
  minutes: 40,
});
await check('Build', 'npm run build', { minutes: 5 });
if (existsSync(containers)) {
  await test('Tests on servers, in containers', 'containers', `daemon="$('${containers}' up)" && eval "$daemon" && `, {
    args: `--project '!unit' ${testsOnBoth().join(' ')}`,
    env: { STACK_FROM: 'containers' },
    minutes: 40,
  });
}
for (const failure of failures) console.log(`\n=== Failed: ${failure}`);
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
