/**
 * `npm run test:again -- FILE…`: runs test files many times over, on servers that are started once, and prints the reason of each
 * failure: for a test that fails by chance. With `--beside N` N busy loops take the processors' time meanwhile. Ends with 1 if a run
 * failed, and with 2 if it cannot begin. `STACK_FROM` says where the servers come from, as for `npm test`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startDevServers } from '../src/tools/devservers/devservers.ts';
import { SETTING } from '../src/tools/devservers/given.ts';
import { prepareForServers } from '../test/support/servers-environment.ts';

const USAGE = 'usage: npm run test:again -- FILE… [--times 20] [--beside 0]';

/** The most busy loops: each is a thread. */
const MOST_BESIDE = 64;

/** The project is the current folder. */
const root = process.cwd();
const logs = join(root, '.recency', 'again');
const reporter = fileURLToPath(new URL('ci-reporter.mjs', import.meta.url));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

interface Order {
  readonly files: readonly string[];
  readonly times: number;
  /** Busy loops. */
  readonly beside: number;
}

interface Failure {
  /** The file and the test. */
  readonly what: string;
  readonly reason: string;
}

interface Run {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** What the reporter of CI writes. */
interface Report {
  readonly files: readonly { readonly file: string; readonly passed: number; readonly failures: readonly Failure[] }[];
  readonly errors: readonly Failure[];
}

class UsageError extends Error {}

/** @throws UsageError which names what is wrong */
function orderOf(args: string[]): Order {
  const { positionals, values } = parsed(args);
  if (positionals.length === 0) throw new UsageError('no test file is named');
  const files = positionals.map((path) => relative(root, resolve(root, path)));
  const unknown = files.find((file) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile() !== true);
  if (unknown !== undefined) throw new UsageError(`there is no file "${unknown}"`);
  return {
    files,
    times: wholeNumber('--times', values.times, 1, 10_000),
    beside: wholeNumber('--beside', values.beside, 0, MOST_BESIDE),
  };
}

function parsed(args: string[]) {
  const number = (byDefault: string) => ({ type: 'string', default: byDefault }) as const;
  try {
    return parseArgs({ args, allowPositionals: true, options: { times: number('20'), beside: number('0') } });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${option} is "${text}": it must be a whole number from ${least} to ${most}`);
}

/** Starts what the files need. Returns the variables that tell the tests of it, and ends it when disposed of. */
async function startServers(files: readonly string[]) {
  if (files.every((file) => file.includes('.unit.test.')))
    return { variables: {}, [Symbol.asyncDispose]: async () => {} };
  prepareForServers();
  const servers = await startDevServers({ install: true, log: (line) => console.log(line) });
  const { mysqlUrl, redisUrl, kafkaBrokers } = servers;
  const variables = {
    [SETTING.mysql]: mysqlUrl,
    [SETTING.redis]: redisUrl,
    ...(kafkaBrokers === null ? {} : { [SETTING.kafka]: kafkaBrokers }),
  };
  return { variables, [Symbol.asyncDispose]: () => servers.stop() };
}

/** Threads that do nothing but take time of the processors, until disposed of. */
function startLoops(count: number): AsyncDisposable {
  const loops = Array.from({ length: count }, () => new Worker('for (;;);', { eval: true }));
  return { [Symbol.asyncDispose]: async () => void (await Promise.all(loops.map((loop) => loop.terminate()))) };
}

/** Runs the files once. What vitest prints goes into a file of its own. */
async function runOnce(
  number: number,
  files: readonly string[],
  variables: Record<string, string>,
  signal: AbortSignal,
) {
  const [log, report] = [join(logs, `${number}.log`), join(logs, `${number}.json`)];
  const output = openSync(log, 'w');
  const args = [vitest, 'run', '--reporter=default', `--reporter=${reporter}`, ...files];
  const env = { ...process.env, ...variables, CI_REPORT: report };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', output, output] });
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end);
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  closeSync(output);
  return outcome(files, { report, log, code });
}

interface Ended {
  /** Files of its report and its output. */
  readonly report: string;
  readonly log: string;
  readonly code: number | null;
}

function outcome(wanted: readonly string[], { report, log, code }: Ended): Run {
  const { files, errors }: Report = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8'))
    : { files: [], errors: [] };
  const failures = [...files.flatMap((file) => file.failures), ...errors];
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  if (failures.length > 0) return { passed, failures };
  const idle = wanted.filter((name) => !files.some((one) => one.file === name && one.passed > 0));
  if (idle.length > 0)
    return { passed, failures: idle.map((what) => ({ what, reason: `no test of it ran: see ${log}` })) };
  const failed = { what: 'it ended with an error, although no test failed', reason: `see ${log}` };
  return { passed, failures: code === 0 ? [] : [failed] };
}

/** Runs the files as often as ordered, or until the signal. Returns the runs that ended. */
async function runAll({ files, times, beside }: Order, signal: AbortSignal): Promise<Run[]> {
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  await using servers = await startServers(files);
  await using _loops = startLoops(beside);
  const runs: Run[] = [];
  for (let number = 1; number <= times && !signal.aborted; number += 1) {
    const from = performance.now();
    const run = await runOnce(number, files, servers.variables, signal);
    if (signal.aborted) break;
    tell(`run ${number} of ${times}, ${((performance.now() - from) / 1000).toFixed(0)} s`, run);
    runs.push(run);
  }
  return runs;
}

function tell(title: string, { passed, failures }: Run): void {
  console.log(`${title}: ${passed} passed, ${failures.length} failed`);
  for (const { what, reason } of failures) console.log(`\n=== Failed: ${what}\n${reason}\n`);
}

/** The last lines: what failed how often, and how many runs passed. */
function conclude(runs: readonly Run[], times: number): void {
  const failures = runs.flatMap((run) => run.failures);
  const counts = Map.groupBy(failures, ({ what }) => what);
  for (const [what, { length }] of counts) console.log(`${length} of ${runs.length}: ${what}`);
  const passed = runs.filter((run) => run.failures.length === 0).length;
  console.log(`${passed} of ${runs.length} runs passed${runs.length < times ? `, ${times} were asked for` : ''}`);
  process.exitCode = passed === times ? 0 : 1;
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());

try {
  const order = orderOf(process.argv.slice(2));
  conclude(await runAll(order, ending.signal), order.times);
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error);
  process.exitCode = 2;
}
