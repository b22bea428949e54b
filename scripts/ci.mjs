/**
 * Tests on programs of this machine, lint, build, and the tests on servers once more in containers where the tool for
 * them lies beside the project. Runs on any Node from 20 before anything is installed. The last line is
 * `N passed, N failed[, N skipped]`, summed over the runs that happened; a run without a report counts as a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, '.recency', 'ci');
const containers = resolve(root, '..', 'shared', 'tools', 'containers');
const MINUTE = 60_000;

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
  if (!(await run(title, command, options))) totals.failed += 1;
}

async function test(title, name, prefix, { args = '', ...options }) {
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  const reporters = `--reporter=default --reporter=json --outputFile.json='${report}'`;
  const succeeded = await run(title, `${prefix}npm test -- ${reporters} ${args}`, options);
  const counts = countsOf(report);
  totals.passed += counts.passed;
  totals.failed += Math.max(counts.failed, succeeded ? 0 : 1);
  totals.skipped += counts.skipped;
}

/** What a report says; one failure when there is none that can be read, or when it names no test at all. */
function countsOf(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, 'utf8'));
    const counts = { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
    if (!Object.values(counts).every(Number.isInteger)) throw new Error('its counts are missing');
    return counts.passed + counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } catch (error) {
    console.log(`=== no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

await test('Tests, on programs of this machine', 'programs', '', { env: { STACK_FROM: 'programs' }, minutes: 25 });
await check('Lint', 'npm run lint', { minutes: 5 });
await check('Build', 'npm run build', { minutes: 5 });
if (existsSync(containers)) {
  await test('Tests on servers, in containers', 'containers', `daemon="$('${containers}' up)" && eval "$daemon" && `, {
    args: "--project servers --exclude 'test/faults/redis-cluster*'", // whose nodes are programs in either run
    env: { STACK_FROM: 'containers' },
    minutes: 30,
  });
}
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed > 0 ? 1 : 0;
