import { describe, expect, it } from 'vitest';
import { ScriptSandbox } from '../support/script-sandbox.ts';

const ORDER = { what: 'x.ts: the order of things', reason: 'expected 1 to be 2' };

/** Stands in for `npm test` with a report of one file with these counts. */
function report(passed: number, failed: number, skipped = 0): string {
  const file = { file: 'x.ts', passed, failed, skipped, failures: failed === 0 ? [] : [ORDER] };
  return `
cat > "$CI_REPORT" <<'END'
${JSON.stringify({ files: [file], errors: [] })}
END
exit ${failed > 0 ? 1 : 0}`;
}

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

/** The first one is run in containers as well. */
function withTests(script: string): ScriptSandbox {
  const sandbox = new ScriptSandbox('ci.mjs', script);
  for (const name of [
    'index/a.int',
    'index/a.unit',
    'api/a.int',
    'model/a.e2e',
    'transport/kafka/a.int',
    'transport/kafka.int',
  ]) {
    sandbox.write(`test/${name}.test.ts`, '');
  }
  return sandbox;
}

describe('CI', () => {
  it('runs lint, the build and the unit tests first, then the prover and the tests on servers, and counts the tests', () => {
    const { status, last, calls } = run(npm(report(12, 0)));
    expect({ status, last }).toEqual({ status: 0, last: '24 passed, 0 failed' });
    const tests = (project: string) => expect.stringMatching(new RegExp(`^test -- .*--project ${project} *$`));
    expect(calls).toEqual(['run lint', 'run build', tests('unit'), 'run prove -- --mutate', tests('!unit')]);
  });

  it('sums up the run in containers where the tool for them is there', () => {
    const sandbox = withTests(npm(`echo "$STACK_FROM $DAEMON";${report(5, 0, 2)}`));
    sandbox.write('../shared/tools/containers', '#!/bin/sh\n[ "$1" = up ] && echo "export DAEMON=here"\n');
    const { status, last, calls, output } = outcome(sandbox);
    expect({ status, last }).toEqual({ status: 0, last: '15 passed, 0 failed, 6 skipped' });
    expect(calls.at(-1)).toMatch(/ --project !unit test\/index\/a\.int\.test\.ts$/);
    expect(output).toMatch(/^programs $/m);
    expect(output).toMatch(/^containers here$/m);
  });

  it('counts a tool for containers that fails', () => {
    const sandbox = withTests(npm(report(5, 0)));
    sandbox.write('../shared/tools/containers', '#!/bin/sh\nexit 1\n');
    expect(outcome(sandbox)).toMatchObject({ status: 1, last: '10 passed, 1 failed' });
  });

  it.each([
    ['a failed test, which runs once more', npm(report(3, 2)), '3 passed, 2 failed'],
    ['a run that fails without a failed test', npm(report(3, 0).replace('exit 0', 'exit 1')), '3 passed, 1 failed'],
    ['a run that ends without a report', npm('exit 0'), '0 passed, 1 failed'],
    ['a run without a test', npm(report(0, 0)), '0 passed, 1 failed'],
    ['lint', npm(report(3, 0), 'if [ "$2" = lint ]; then exit 1; fi'), '3 passed, 1 failed'],
    ['build', npm(report(3, 0), 'if [ "$2" = build ]; then exit 1; fi'), '3 passed, 1 failed'],
  ])('ends without the tests on servers for %s', (_what, script, last) => {
    const { calls, ...ended } = run(script);
    expect(ended).toMatchObject({ status: 1, last });
    expect(calls.join('\n')).not.toContain('!unit');
  });

  it('tells once more at the end what failed, and why', () => {
    const { output } = run(npm(report(3, 1), 'exit 1'));
    const end = output.slice(output.indexOf('=== Failed: '));
    expect(end).toMatch(/^=== Failed: Unit tests: .*x\.ts: the order of things\nexpected 1 to be 2$/m);
    expect(end).toMatch(/^=== Failed: Lint$/m);
  });

  it('uses no servers that the environment gives', () => {
    const { output } = run(npm(`echo "[$RECENCY_REDIS_URL] [$CI]";${report(1, 0)}`), {
      RECENCY_REDIS_URL: 'redis://r',
    });
    expect(output).toMatch(/^\[\] \[true\]$/m);
  });
});
