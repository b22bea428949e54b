import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ScriptSandbox } from '../support/script-sandbox.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `npm test -- ARGUMENTS` runs vitest; everything else succeeds. */
const NPM = '[ "$1" != test ] || { shift 2; exec node_modules/.bin/vitest run "$@"; }';

const CONFIG = `
import { defineConfig } from 'vitest/config';
const project = (name, include) => ({ extends: true, test: { name, include } });
const servers = { ...project('servers', ['*.int.test.js']).test, globalSetup: './setup.js' };
export default defineConfig({ test: { isolate: false, projects: [project('unit', ['*.unit.test.js']), { extends: true, test: servers }] } });
`;

const PASSES = "it('passes', () => undefined);";

/** A test whose statement is run at the first attempt only. */
const once = (statement: string) => `
it('works at the second attempt', async () => {
  const { existsSync, writeFileSync } = await import('node:fs');
  const { setTimeout } = await import('node:timers/promises');
  const marker = new URL(import.meta.url.split('?')[0] + '.ran');
  if (existsSync(marker)) return;
  writeFileSync(marker, '');
  ${statement};
});`;

const FAIL = "throw new Error('by chance')";
const REJECT = "void Promise.reject(new Error('later')); await setTimeout(50)";
const FAILS_AT_THE_END = "export default () => () => { throw new Error('the end of a server'); };";
const ENDS_WRONG_ONCE = `import { existsSync, writeFileSync } from 'node:fs';
export default () => () => {
  if (existsSync('.ended')) return;
  writeFileSync('.ended', '');
  throw new Error('the end of a server');
};`;
const DIE = "process.kill(process.pid, 'SIGKILL'); await setTimeout(10_000)";

/** Runs CI on a project of these test files, by name; `passes` is one of them in both runs. @param setup of the tests on servers */
function run(
  files: Record<string, string>,
  setup = 'export default () => undefined;',
): { status: number | null; last: string; output: string; told: string[] } {
  const sandbox = new ScriptSandbox('ci.mjs', NPM);
  cpSync(join(root, 'scripts/ci-reporter.mjs'), join(sandbox.root, 'scripts/ci-reporter.mjs'));
  symlinkSync(join(root, 'node_modules'), join(sandbox.root, 'node_modules'));
  sandbox.write('package.json', '{ "type": "module" }');
  sandbox.write('vitest.config.js', CONFIG);
  sandbox.write('setup.js', setup);
  const all = { 'passes.unit': PASSES, 'passes.int': PASSES, ...files };
  for (const [name, text] of Object.entries(all)) {
    sandbox.write(`${name}.test.js`, `import { beforeAll, it } from 'vitest';\n${text}`);
  }
  const { status, stdout } = sandbox.run();
  const lines = stdout.trimEnd().split('\n');
  const told = lines.filter((line) => /^=== (?:Flaky|Failed): /.test(line));
  return { status, last: lines.at(-1) ?? '', output: stdout, told };
}

describe('a test file that failed runs once more, alone', () => {
  it('and is flaky if it passes, whatever was the matter with it first', () => {
    const { status, last, told, output } = run({
      'fails.int': once(FAIL),
      'rejects.int': once(REJECT),
      'dies.int': once(DIE),
      'hook.int': `beforeAll(async () => ${once(FAIL).slice(once(FAIL).indexOf('{'), -2)});\n${PASSES}`,
      'fails.unit': once(FAIL),
    });
    expect({ status, last }).toEqual({ status: 0, last: '7 passed, 0 failed' });
    expect(new Set(told)).toEqual(
      new Set([
        '=== Flaky: fails.unit.test.js: works at the second attempt',
        '=== Flaky: fails.int.test.js: works at the second attempt',
        '=== Flaky: rejects.int.test.js: outside of its tests',
        '=== Flaky: dies.int.test.js',
        '=== Flaky: dies.int.test.js: outside of its tests',
        '=== Flaky: hook.int.test.js',
      ]),
    );
    expect(output).toMatch(/^=== Flaky: fails\.int.*\nError: by chance$/m);
    expect(output).toMatch(/^=== Flaky: rejects\.int.*\nError: later$/m);
  });

  it.each([
    ['a test that fails', FAIL],
    ['a promise that is rejected later', REJECT],
    ['a worker that dies', DIE],
  ])('and has failed if it is the same again: %s', (_what, statement) => {
    const { status, last, told } = run({ 'always.int': once(statement).replace('return', '') });
    expect({ status, last }).toMatchObject({ status: 1, last: expect.stringMatching(/^\d passed, 1 failed$/) });
    expect(told.every((line) => line.startsWith('=== Failed: Tests on servers'))).toBe(true);
    expect(told.some((line) => line.includes('always.int.test.js'))).toBe(true);
    expect(told.some((line) => line.includes(': once more: '))).toBe(true);
  });

  it('and has failed if its tests pass, but the run ends with an error', () => {
    const { status, last, told } = run({ 'fails.int': once(FAIL) }, FAILS_AT_THE_END);
    expect({ status, last }).toEqual({ status: 1, last: '2 passed, 2 failed' });
    expect(told.at(-1)).toBe('=== Failed: Tests on servers, on programs of this machine: the end of the run');
  });

  it('and has failed if a test that failed is left out then', () => {
    const text = `const isAgain = (await import('node:fs')).existsSync('.ran');
(isAgain ? it.skip : it)('is left out', async () => {
  (await import('node:fs')).writeFileSync('.ran', '');
  ${FAIL};
});
${PASSES}`;
    const { status, last } = run({ 'skips.int': text });
    expect({ status, last }).toEqual({ status: 1, last: '3 passed, 1 failed' });
  });

  it('and has failed if the end of the first run went wrong beside it', () => {
    const { status, told } = run({ 'fails.int': once(FAIL) }, ENDS_WRONG_ONCE);
    expect(status).toBe(1);
    expect(told).toEqual([
      '=== Flaky: fails.int.test.js: works at the second attempt',
      '=== Failed: Tests on servers, on programs of this machine: the end of the run',
    ]);
  });

  it('and is told whatever was thrown', () => {
    const { status, told, output } = run({ 'odd.int': once('void Promise.reject({ code: 7 }); await setTimeout(50)') });
    expect({ status, told }).toEqual({ status: 0, told: ['=== Flaky: odd.int.test.js: outside of its tests'] });
    expect(output).toMatch(/^=== Flaky: odd.*\n\{\n *code: 7/m);
  });

  it('unless many failed', () => {
    const names = Array.from({ length: 9 }, (_, number) => `fails-${number}.int`);
    const { status, last, told } = run(Object.fromEntries(names.map((name) => [name, once(FAIL)])));
    expect({ status, last, told: told.length }).toEqual({ status: 1, last: '2 passed, 9 failed', told: 9 });
  });

  it('unless nobody knows which one failed', () => {
    const { status, last, told } = run({}, FAILS_AT_THE_END);
    expect({ status, last }).toEqual({ status: 1, last: '2 passed, 1 failed' });
    expect(told).toEqual(['=== Failed: Tests on servers, on programs of this machine: the end of the run']);
  });

  it('servers that do not start once are flaky', () => {
    const setup = ENDS_WRONG_ONCE.replace('() => () =>', '() =>');
    const { status, last, told } = run({}, setup);
    expect({ status, last }).toEqual({ status: 0, last: '2 passed, 0 failed' });
    expect(told).toEqual(['=== Flaky: Tests on servers, on programs of this machine']);
  });
});
