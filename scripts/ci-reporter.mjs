/**
 * Writes the outcome of each test file as JSON into the file that CI_REPORT names: whether it is `waiting`, `running` or `ended`, how
 * many of its tests passed, failed and were skipped, and what failed with its reason. The report is written anew whenever a file begins
 * or ends, because a run may be killed, and a worker that dies leaves files that it has not begun. Unlike vitest's own reports it has
 * the reasons of hooks (a server that did not start fails a group of tests, and no test), and errors outside of the tests stand with
 * the file that they come from.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';

/** How many causes of an error are told. */
const CAUSES = 8;

export default class CiReporter {
  /** Outcomes by file, relative to the project's root. */
  #files = new Map();
  #root = '';
  /** Errors of no file. */
  #errors = [];

  /** Called by vitest before anything runs. The errors of its end, which are those of the servers', it tells nobody but its log. */
  onInit({ config, logger }) {
    this.#root = config.root;
    const log = logger.error.bind(logger);
    logger.error = (...what) => {
      log(...what);
      if (what[0] === 'error during close') this.#write([{ what: 'the end of the run', reason: reasonOf(what[1]) }]);
    };
  }

  /** Called by vitest when it knows which files it will run. */
  onTestRunStart(specifications) {
    for (const { moduleId } of specifications) this.#unfinished(relative(this.#root, moduleId), 'waiting');
    this.#write();
  }

  /** Called by vitest before it loads a file. */
  onTestModuleQueued({ relativeModuleId }) {
    this.#unfinished(relativeModuleId, 'running');
    this.#write();
  }

  /** Called by vitest when all tests of a file have ended. */
  onTestModuleEnd(module) {
    this.#ended(module);
    this.#write();
  }

  /** Called by vitest at the end of a run. */
  onTestRunEnd(modules, unhandledErrors) {
    for (const module of modules) if (!['queued', 'pending'].includes(module.state())) this.#ended(module);
    const ofNoFile = unhandledErrors.filter((error) => !this.#putToItsFile(error));
    this.#write(failure('outside of the tests', ofNoFile));
  }

  #unfinished(file, state) {
    const failures = [{ what: file, reason: state === 'waiting' ? 'it did not begin' : 'it did not end' }];
    this.#files.set(file, { file, state, passed: 0, failed: 0, skipped: 0, failures });
  }

  #ended(module) {
    const [file, tests] = [module.relativeModuleId, [...module.children.allTests()]];
    const count = (...states) => tests.filter((test) => states.includes(test.result().state)).length;
    const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped', 'pending') };
    this.#files.set(file, { file, state: 'ended', ...counts, failures: failuresIn(module) });
  }

  /** Vitest names the file whose tests ran in the worker; for a worker that died, all files that it was given. */
  #putToItsFile(error) {
    const [reason, path] = [reasonOf(error), error.VITEST_TEST_PATH];
    const hasDied = ({ file, state }) => state === 'running' && reason.includes(file);
    const isIts = path === undefined ? hasDied : ({ file }) => file === relative(this.#root, path);
    const its = [...this.#files.values()].filter(isIts);
    for (const { file, failures } of its) failures.push({ what: `${file}: outside of its tests`, reason });
    return its.length > 0;
  }

  #write(errors = []) {
    this.#errors.push(...errors);
    writeFileSync(process.env.CI_REPORT, JSON.stringify({ files: [...this.#files.values()], errors: this.#errors }));
  }
}

/** What failed in a test file: the file itself, groups of its tests, tests. */
function failuresIn(module) {
  const file = module.relativeModuleId;
  return [
    ...failure(file, module.errors()),
    ...[...module.children.allSuites()].flatMap((group) => failure(`${file}: ${group.fullName}`, group.errors())),
    ...[...module.children.allTests('failed')].flatMap((test) =>
      failure(`${file}: ${test.fullName}`, test.result().errors ?? []),
    ),
  ];
}

const failure = (what, errors) => (errors.length === 0 ? [] : [{ what, reason: errors.map(reasonOf).join('\n') }]);

/** The stack begins with the name, the code and the message; what was thrown may be anything. */
function reasonOf(error, causes = CAUSES) {
  const reason = String(error?.stack || error?.message || inspect(error));
  return error?.cause?.message === undefined || causes === 0
    ? reason
    : `${reason}\n${reasonOf(error.cause, causes - 1)}`;
}
