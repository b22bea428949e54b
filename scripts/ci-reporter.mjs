/**
 * Writes how many tests passed, failed and were skipped, and what failed with its reason, as JSON into the file that CI_REPORT
 * names. Unlike vitest's own reports it has the reasons of hooks: a server that did not start fails a group of tests, and no test.
 */
import { writeFileSync } from 'node:fs';
import process from 'node:process';

export default class CiReporter {
  /** Called by vitest at the end of a run. */
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state) => tests.filter((test) => test.result().state === state).length;
    const failures = [...modules.flatMap(failuresIn), ...failure('outside of the tests', unhandledErrors)];
    const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') + count('pending') };
    writeFileSync(process.env.CI_REPORT, JSON.stringify({ ...counts, failures }));
  }
}

/** What failed in a test file: the file itself, groups of its tests, tests. */
function failuresIn(module) {
  const file = module.relativeModuleId;
  return [
    ...failure(file, module.errors()),
    ...[...module.children.allSuites()].flatMap((group) => failure(`${file}: ${group.fullName}`, group.errors())),
    ...[...module.children.allTests()].flatMap((test) =>
      failure(`${file}: ${test.fullName}`, test.result().errors ?? []),
    ),
  ];
}

const failure = (what, errors) => (errors.length === 0 ? [] : [{ what, reason: errors.map(reasonOf).join('\n') }]);

/** The stack begins with the name, the code and the message. */
const reasonOf = ({ stack, message }) => stack || message;
