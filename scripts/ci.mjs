/**
 * Lint, the build and the unit tests, so that a slip is told in the first minutes and the run ends there; then the rules of the protocol,
 * each of which must be needed; then the tests on servers, on programs of this machine, and once more in containers where the tool for them
 * lies beside the project. At the end each test file that failed runs once more, alone, on the servers of its run. What passes then is
 * flaky, which is printed and counts as passed; what fails again has failed. So do all, without a second run, when they are many. Runs on
 * any Node from 20 before anything is installed. The last line is `N passed, N failed[, N skipped]`, summed over the runs that happened; a
 * run without a report counts as a failure.
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
 * The second run has the integration tests in these folders, whose statements, scripts or protocol depend on the server. What processes,
 * faults of servers, pages and tools make of them was seen in the first run.
 */
const ON_BOTH = [
  ...['adoption', 'capture', 'doctor', 'index', 'model', 'mysql', 'prove', 'query'],
  ...['redis', 'relay', 'repair', 'transport'],
];

/** And what is about containers. */
const OF_CONTAINERS = ['deploy/image.e2e', 'tools/devservers/server.int', 'tools/devservers/up.e2e'];

/** But not the tests of Kafka alone, which is of the same release in both runs. */
const OF_KAFKA = /^transport\/kafka[./]/;

/** How much of the reason of a failure is told again, in characters. */
const REASON = 2_000;

/** More files than these that failed are no chance: none of them runs again. */
const MOST_AGAIN = 8;
const MINUTES_AGAIN = 15;

/** After these everything is ended, so that what failed is told before CI's own limit of 90 minutes. */
const MINUTES_IN_ALL = 85;

/** Servers of the machine's own choice would be tested twice, or not at all. */
const GIVEN = ['RECENCY_MYSQL_URL', 'RECENCY_REDIS_URL', 'RECENCY_KAFKA_BROKERS'].flatMap((name) => [
  name,
  `${name}_FILE`,
]);

/** The process group of the step that runs now: a session of its own, so that a step that hangs ends as a whole. */
let current;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (current !== undefined) process.kill(-current, 'SIGKILL');
    process.exit(1);
  });
}

/** The test files of all runs, with their last outcome: `{ suite, file, passed, failed, skipped, failures }`. */
const outcomes = [];

/** Failures that belong to no test file, `{ what, reason }`. */
const failures = [];

/** What failed first and then passed, `{ what, reason }`. */
const flaky = [];

/** Runs a command to its end, and ends it when it takes longer. Returns whether it succeeded. */
async function run(title, command, { env = {}, minutes }) {
  console.log(`\n=== ${title}`);
  const environment = { ...process.env, CI: 'true', ...env };
  for (const name of GIVEN) delete environment[name];
  const child = spawn('sh', ['-c', command], { cwd: root, env: environment, detached: true, stdio: ['ignore', 1, 2] });
  current = child.pid;
  const limit = Math.min(minutes, MINUTES_IN_ALL - performance.now() / MINUTE);
  const timer = setTimeout(() => endCurrent(title, limit), limit * MINUTE);
  const [code, signal] = await new Promise((end) => child.once('exit', (...how) => end(how)));
  clearTimeout(timer);
  current = undefined;
  if (code !== 0) console.log(`=== ${title} failed (${signal ?? `exit ${code}`})`);
  return code === 0;
}

function endCurrent(title, minutes) {
  console.log(`=== ${title} took more than ${Math.round(minutes)} minutes`);
  process.kill(-current, 'SIGKILL');
}

/** A step that is right or wrong as a whole. */
async function check(title, command, options) {
  if (!(await run(title, command, options))) failures.push({ what: title, reason: 'its output stands above' });
}

/** Runs the tests of a suite, or those in the files of these paths. Returns what the reporter wrote, and an error for a run that failed. */
async function runTests(title, { name, before = '', args, env }, paths, minutes) {
  const report = join(reports, `${name}.json`);
  rmSync(report, { force: true });
  mkdirSync(reports, { recursive: true });
  const reporters = '--reporter=default --reporter=./scripts/ci-reporter.mjs';
  const command = `${before}npm test -- ${reporters} ${args} ${paths.map(quoted).join(' ')}`;
  const succeeded = await run(title, command, { env: { ...env, CI_REPORT: report }, minutes });
  const { files, errors } = readReport(report);
  const isTold = files.some(hasFailed) || errors.length > 0;
  return {
    files,
    errors:
      succeeded || isTold
        ? errors
        : [{ what: 'the run', reason: 'it ended with an error, although nothing in it failed' }],
  };
}

/** One error when the reporter wrote nothing that can be read, or when no test ran. */
function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    if (report.files.some((file) => file.passed > 0 || hasFailed(file))) return report;
    throw new Error('no test ran');
  } catch ({ message }) {
    return { files: [], errors: [{ what: 'no report', reason: message }] };
  }
}

/** For a shell. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const hasFailed = ({ failed, failures }) => failed > 0 || failures.length > 0;

/** Runs all tests of a suite. A worker that dies, or servers that do not start, leave files that were not begun: they run afterwards. */
async function test(suite) {
  const files = await testFiles(suite, suite.title, suite.paths ?? []);
  const waiting = files.filter(({ state }) => state === 'waiting').map(({ file }) => file);
  if (waiting.length > 0 && waiting.length === files.length)
    flaky.push({ what: suite.title, reason: 'no file began; why stands above' });
  const rest =
    waiting.length === 0 ? [] : await testFiles(suite, `${suite.title}, files that a lost worker left`, waiting);
  outcomes.push(
    ...files
      .filter(({ file }) => !waiting.includes(file))
      .concat(rest)
      .map((file) => ({ suite, ...file })),
  );
}

/** Returns the outcomes of a suite's files, or of those of these paths. */
async function testFiles(suite, title, paths) {
  const { files, errors } = await runTests(title, suite, paths, suite.minutes);
  failures.push(...errors.map(({ what, reason }) => ({ what: `${title}: ${what}`, reason })));
  return files;
}

/** Tells chance from fault: runs each file that failed once more, alone, and takes its outcome instead of the first if it passes. */
async function runFailedAgain() {
  const failed = outcomes.filter(hasFailed);
  if (failed.length > MOST_AGAIN) {
    console.log(`\n=== ${failed.length} files failed: too many for chance, so none runs again`);
    return;
  }
  for (const outcome of failed) await runAgain(outcome);
}

async function runAgain(outcome) {
  const { suite, file, failures: firstFailures } = outcome;
  const title = `${suite.title}, once more, alone: ${file}`;
  const { files, errors } = await runTests(title, suite, [join(root, file)], MINUTES_AGAIN);
  const [second] = files;
  const hasPassed = files.length === 1 && !hasFailed(second) && second.passed >= outcome.passed + outcome.failed;
  if (errors.length === 0 && hasPassed) {
    flaky.push(...firstFailures);
    Object.assign(outcome, second);
    return;
  }
  const again = [...files.flatMap((each) => each.failures), ...errors];
  if (again.length === 0) again.push({ what: file, reason: 'not every test that had failed was run and passed' });
  outcome.failures = [...firstFailures, ...again.map(({ what, reason }) => ({ what: `once more: ${what}`, reason }))];
}

/** Their paths: vitest takes no exclusions for a project that has its own. */
function testsOnBoth() {
  const isOnBoth = (path) =>
    path.includes('.int.test.') && ON_BOTH.includes(path.split('/')[0]) && !OF_KAFKA.test(path);
  const isOfContainers = (path) => OF_CONTAINERS.some((start) => path.startsWith(`${start}.test.`));
  const all = readdirSync(join(root, 'test'), { recursive: true });
  return all
    .filter((path) => isOnBoth(path) || isOfContainers(path))
    .map((path) => `test/${path}`)
    .sort();
}

/** Tells what was flaky and what failed, the tests' own output being thousands of lines further up; then the counts. */
function conclude() {
  for (const { what, reason } of flaky) console.log(`\n=== Flaky: ${what}\n${reason.slice(0, REASON)}`);
  for (const { suite, failures: told } of outcomes)
    for (const { what, reason } of told) tell(`${suite.title}: ${what}`, reason);
  for (const { what, reason } of failures) tell(what, reason);
  const sum = (count) => outcomes.reduce((total, outcome) => total + outcome[count], 0);
  const failed = outcomes.filter(hasFailed).reduce((total, outcome) => total + Math.max(1, outcome.failed), 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${failed + failures.length} failed${skipped}`);
  process.exitCode = hasFailures() ? 1 : 0;
}

const tell = (what, reason) => console.log(`\n=== Failed: ${what}\n${reason.slice(0, REASON)}`);

const hasFailures = () => failures.length > 0 || outcomes.some(hasFailed);

await check('Lint', 'npm run lint', { minutes: 5 });
await check('Build', 'npm run build', { minutes: 5 });
await test({ title: 'Unit tests', name: 'unit', args: '--project unit', minutes: 10 });
if (failures.length === 0) await runFailedAgain();
if (!hasFailures()) {
  await check('Every rule of the protocol, removed', 'npm run prove -- --mutate', { minutes: 30 });
  await test({
    title: 'Tests on servers, on programs of this machine',
    name: 'programs',
    args: "--project '!unit'",
    env: { STACK_FROM: 'programs' },
    minutes: 40,
  });
  if (existsSync(containers)) {
    await test({
      title: 'Tests on servers, in containers',
      name: 'containers',
      before: `daemon="$(${quoted(containers)} up)" && eval "$daemon" && `,
      args: "--project '!unit'",
      paths: testsOnBoth(),
      env: { STACK_FROM: 'containers' },
      minutes: 40,
    });
  }
  await runFailedAgain();
}
conclude();
