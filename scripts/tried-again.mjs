/**
 * A reporter for CI: writes the tests that passed only when they were tried again, one a line, to the file that
 * TRIED_AGAIN names.
 */
import { writeFileSync } from 'node:fs';
import process from 'node:process';

export default class TriedAgain {
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const flaky = tests.filter((test) => test.diagnostic()?.flaky);
    const lines = flaky.map((test) => `${test.module.relativeModuleId}: ${test.fullName}\n`);
    if (process.env.TRIED_AGAIN) writeFileSync(process.env.TRIED_AGAIN, lines.join(''));
  }
}
