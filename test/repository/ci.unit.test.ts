import { describe, expect, it } from 'vitest';
import { ScriptSandbox } from '../support/script-sandbox.ts';

const ORDER = { fullName: 'the order of things', status: 'failed', failureMessages: ['expected 1 to be 2'] };
const PASSED = { fullName: 'another', status: 'passed', failureMessages: [] };

/** Stands in for `npm test` with a JSON report of these counts. */
const report = (passed: number, failed: number, skipped = 0) => `
report=$(echo "$*" | sed -n "s/.*--outputFile.json=\\([^ ]*\\).*/\\1/p")
cat > "$report" <<'END'
${JSON.stringify({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  testResults: failed === 0 ? [] : [{ name: 'x.ts', status: 'failed', message: '', assertionResults: [PASSED, ORDER] }],
})}
END
exit ${failed > 0 ? 1 : 0}`;

const npm = (test: string, others = 'exit 0') => `if [ "$1" = test ]; then ${test}\nfi\n${others}`;

function run(
  script: string,
  environment = {},
): { status: number | null; last: string; calls: string[]; output: string } {
  const sandbox = new ScriptSandbox('ci.mjs', script);
  return outcome(sandbox, environment);
}

function outcome(sandbox: ScriptSandbox, environment = {}) {
  const { status, stdout } = sandbox.run(environment);
  return { status, output: stdout, last: stdout.trimEnd().split('\n').at(-1) ?? '', calls: sandbox.npmCalls() };
}

describe('CI', () => {
  it('runs tests, lint and build, and counts the tests', () => {
    const { status, last, calls } = run(npm(report(12, 0)));
    expect({ status, last }).toEqual({ status: 0, last: '12 passed, 0 failed' });
    expect(calls).toEqual([expect.stringMatching(/^test -- /), 'run lint', 'run build']);
  });

  it('sums up the run in containers where the tool for them is there', () => {
    const sandbox = new ScriptSandbox('ci.mjs', npm(`echo "$STACK_FROM $DAEMON";${report(5, 0, 2)}`));
    sandbox.write('../shared/tools/containers', '#!/bin/sh\n[ "$1" = up ] && echo "export DAEMON=here"\n');
    const { status, last, calls, output } = outcome(sandbox);
    expect({ status, last }).toEqual({ status: 0, last: '10 passed, 0 failed, 4 skipped' });
    expect(calls.at(-1)).toContain('--project servers');
    expect(output).toMatch(/^programs $/m);
    expect(output).toMatch(/^containers here$/m);
  });

  it('counts a tool for containers that fails', () => {
    const sandbox = new ScriptSandbox('ci.mjs', npm(report(5, 0)));
    sandbox.write('../shared/tools/containers', '#!/bin/sh\nexit 1\n');
    expect(outcome(sandbox)).toMatchObject({ status: 1, last: '5 passed, 1 failed' });
  });

  it.each([
    ['a failed test', npm(report(3, 2)), '3 passed, 2 failed'],
    ['a run that fails without a failed test', npm(report(3, 0).replace('exit 0', 'exit 1')), '3 passed, 1 failed'],
    ['a run that ends without a report', npm('exit 0'), '0 passed, 1 failed'],
    ['a run without a test', npm(report(0, 0)), '0 passed, 1 failed'],
    ['lint', npm(report(3, 0), 'if [ "$2" = lint ]; then exit 1; fi'), '3 passed, 1 failed'],
    ['build', npm(report(3, 0), 'if [ "$2" = build ]; then exit 1; fi'), '3 passed, 1 failed'],
  ])('fails for %s', (_what, script, last) => {
    expect(run(script)).toMatchObject({ status: 1, last });
  });

  it('tells once more at the end what failed, and why', () => {
    const { output } = run(npm(report(3, 1), 'exit 1'));
    const end = output.slice(output.indexOf('=== Failed: '));
    expect(end).toMatch(/^=== Failed: Tests, .*x\.ts: the order of things\nexpected 1 to be 2$/m);
    expect(end).toMatch(/^=== Failed: Lint$/m);
    expect(end).not.toContain('another');
  });

  it('tries no test a second time', () => {
    expect(run(npm(report(3, 0))).calls[0]).not.toContain('retry');
  });

  it('uses no servers that the environment gives', () => {
    const { output } = run(npm(`echo "[$RECENCY_REDIS_URL] [$CI]";${report(1, 0)}`), {
      RECENCY_REDIS_URL: 'redis://r',
    });
    expect(output).toMatch(/^\[\] \[true\]$/m);
  });
});
