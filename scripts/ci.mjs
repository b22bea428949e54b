/**
 * Tests on programs of this machine, lint, build, and the tests on servers once more in containers where the tool for
 * them lies beside the project. No test is retried: one that needs a second attempt is a defect to find. Runs on any
 * Node from 20 before anything is installed. The last line is `N passed, N failed[, N skipped]`, summed over the runs
 * that happened; a run without a report counts as a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, '.recency', 'ci');
const containers = resolve(root, '..', 'shared', 'tools', 'containers');
const MINUTE = 60_000;

/**
 * Tests on servers, as the beginnings of their paths in `test`, that the second run leaves out. A cluster's nodes, servers whose
 * clocks are set, and those that a page's commands start are programs in either run. The others run the same statements whatever
 * the servers are: that a benchmark runs, and what a browser, an OTLP receiver, Prometheus and npm make of the processes, was seen
 * in the first.
 */
const RUN_ONCE = [
  ...['faults/redis-cluster', 'faults/server-clocks', 'faults/jobs-killed', 'docs/'],
  ...['tools/bench/', 'console/console.e2e', 'tracing/', 'deploy/metrics', 'deploy/alerts', 'app/tarball'],
  'api/streams/many-streams',
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

async function test(title, name, prefix, { args = '', ...options }) {
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  mkdirSync(reports, { recursive: true });
  const reporters = `--reporter=default --reporter=json --outputFile.json='${report}'`;
  const succeeded = await run(title, `${prefix}npm test -- ${reporters} ${args}`, options);
  const counts = countsOf(report, title);
  totals.passed += counts.passed;
  totals.failed += Math.max(counts.failed, succeeded ? 0 : 1);
  totals.skipped += counts.skipped;
  if (!succeeded && counts.failed === 0) failures.push(`${title}: ended with an error, no test failed`);
}

/** What a report says; one failure when there is none that can be read, or when it names no test at all. */
function countsOf(path, title) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report;
    const counts = { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
    if (!Object.values(counts).every(Number.isInteger)) throw new Error('its counts are missing');
    if (counts.passed + counts.failed === 0) throw new Error('it names no test');
    failures.push(...failuresIn(report, title));
    return counts;
  } catch (error) {
    failures.push(`${title}: no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** Each failed test of a report, and each file that failed as a whole, with the beginning of its reason. */
function failuresIn({ testResults }, title) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${title}: ${file}\n${message.slice(0, REASON)}`] : [];
    return failed.map(
      (one) => `${title}: ${file}: ${one.fullName}\n${one.failureMessages.join('\n').slice(0, REASON)}`,
    );
  });
}

await test('Tests, on programs of this machine', 'programs', '', { env: { STACK_FROM: 'programs' }, minutes: 50 });
await check('Lint', 'npm run lint', { minutes: 5 });
await check('Build', 'npm run build', { minutes: 5 });
if (existsSync(containers)) {
  await test('Tests on servers, in containers', 'containers', `daemon="$('${containers}' up)" && eval "$daemon" && `, {
    args: `--project servers ${RUN_ONCE.map((name) => `--exclude 'test/${name}*'`).join(' ')}`,
    env: { STACK_FROM: 'containers' },
    minutes: 38,
  });
}
for (const failure of failures) console.log(`\n=== Failed: ${failure}`);
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
