import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A test that fails in each second run. */
const CHANCE = `
import { appendFileSync, readFileSync } from 'node:fs';
import { it } from 'vitest';
it('passes', () => undefined);
it('depends on chance', () => {
  appendFileSync('runs', '.');
  if (readFileSync('runs').length % 2 === 0) throw new Error('by chance');
});`;

const PASSES = "import { it } from 'vitest';\nit('passes', () => undefined);";

const FAILS_AT_THE_END = "export default () => () => { throw new Error('the end of a server'); };";

/** Runs it in a project with these files. */
function testAgain(args: string[], files: Record<string, string> = {}) {
  const project = mkdtempSync(join(tmpdir(), 'recency-again-'));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  symlinkSync(join(checkout, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const script = join(checkout, 'scripts', 'test-again.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: project, encoding: 'utf8' });
  return { status, stdout, stderr, lines: stdout.trim().split('\n') };
}

describe('npm run test:again', () => {
  it('runs a file as often as asked for, and tells each failure with its reason', () => {
    const args = ['chance.unit.test.js', '--times', '2', '--beside', '1'];
    const { status, lines } = testAgain(args, { 'chance.unit.test.js': CHANCE });
    expect(status).toBe(1);
    expect(lines.filter((line) => line.startsWith('run ')).map((line) => line.replace(/\d+ s/, 'N s'))).toEqual([
      'run 1 of 2, N s: 2 passed, 0 failed',
      'run 2 of 2, N s: 1 passed, 1 failed',
    ]);
    expect(lines.filter((line) => line.startsWith('Error: by chance'))).toHaveLength(1);
    expect(lines.slice(-2)).toEqual(['1 of 2: chance.unit.test.js: depends on chance', '1 of 2 runs passed']);
  });

  it('ends with 0 when every run passed', () => {
    const { status, lines } = testAgain(['a.unit.test.js', '--times', '2'], { 'a.unit.test.js': PASSES });
    expect({ status, last: lines.at(-1) }).toEqual({ status: 0, last: '2 of 2 runs passed' });
  });

  it.each([
    ['ends with an error although its tests passed', PASSES, 'the end of the run'],
    ['runs no test', PASSES.replace('it(', 'it.skip('), 'a.unit.test.js'],
  ])('counts a run as failed that %s', (_what, text, failure) => {
    const files = {
      'a.unit.test.js': text,
      'vitest.config.js': "export default { test: { globalSetup: './setup.js' } };",
      'setup.js': failure === 'a.unit.test.js' ? 'export default () => undefined;' : FAILS_AT_THE_END,
    };
    const { status, lines } = testAgain(['a.unit.test.js', '--times', '1'], files);
    expect({ status, told: lines.at(-2) }).toEqual({ status: 1, told: `1 of 1: ${failure}` });
  });

  it.each([
    [[], 'no test file is named'],
    [['away.unit.test.js'], 'there is no file "away.unit.test.js"'],
    [[''], 'there is no file ""'],
    [['a.unit.test.js', '--times', '0'], '--times is "0": it must be a whole number from 1 to 10000'],
    [['a.unit.test.js', '--beside', '-1'], "'--beside' argument is ambiguous"],
    [['a.unit.test.js', '--beside=x'], '--beside is "x": it must be a whole number from 0 to 64'],
    [['a.unit.test.js', '--time', '2'], "Unknown option '--time'"],
  ])('refuses %j', (args, reason) => {
    const { status, stderr } = testAgain(args, { 'a.unit.test.js': '' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(reason) });
    expect(stderr).toContain('usage: npm run test:again -- FILE…');
  });
});
