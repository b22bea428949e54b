import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'prove', 'main.ts');

/** `npm run prove -- …` */
function prove(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return proveIn(ROOT, ...args);
}

function proveIn(root: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(root, 'prove', 'main.ts'), ...args], { encoding: 'utf8' });
}

/** The tree once more, with something else in the place of some text. */
function changedTree(file: string, from: string, to: string): string {
  const root = mkdtempSync(join(tmpdir(), 'recency-prove-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['src', 'prove', 'package.json']) cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const text = readFileSync(join(root, file), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(root, file), text.replace(from, to));
  return root;
}

describe('npm run prove', () => {
  it('tells what it does, with examples', () => {
    const { status, stdout } = prove('--help');
    expect(status).toBe(0);
    for (const word of ['--mutate', '--only', '--quick', '--json', 'Examples:']) expect(stdout).toContain(word);
  });

  it.each([[['--nonsense']], [['--budget', '0']], [['--threads', 'two']], [['--only', 'nobody calls one so']]])(
    'ends with 2, and does nothing, when asked %j',
    (args) => {
      const { status, stdout, stderr } = prove(...args);
      expect(status).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).not.toBe('');
    },
  );

  it('prints a line a scenario', () => {
    const { status, stdout } = prove('--quick', '--only', 'complete with room');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ +complete with room +539 +[\d,]+ +\d+ +[\d.]+ {2}0$/m);
  });

  it('ends with 1, and prints a history, when the code is wrong', () => {
    const root = changedTree(
      'src/index/redis/lua/apply.lua',
      'local is_above = change.key > floor',
      'local is_above = true',
    );
    const { status, stdout } = proveIn(root, '--quick', '--only', 'floor');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ +start +index of/m);
    expect(stdout).toMatch(/^ +end +index of/m);
  });

  it('ends without a word when nobody reads on', () => {
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', '"$0" "$@" | head -n 1', process.execPath, MAIN, '--quick', '--only', 'c'],
      { encoding: 'utf8' },
    );
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('');
  });

  it('prints one object with --json', () => {
    const { status, stdout } = prove('--quick', '--only', 'complete with room', '--json');
    expect(status).toBe(0);
    const { bad, states, histories, scenarios } = JSON.parse(stdout);
    expect({ bad, histories }).toEqual({ bad: 0, histories: 539 });
    expect(scenarios).toMatchObject([{ scenario: 'complete with room', states, cut: false }]);
  });

  it('tells of each rule taken out which history shows that it is needed', () => {
    const { status, stdout } = prove('--mutate', '--only', 'n is the size, when read', '--json');
    expect(status).toBe(0);
    const { caught, known, missed, rules } = JSON.parse(stdout);
    expect({ caught, known, missed }).toEqual({ caught: 1, known: [], missed: [] });
    expect(rules).toMatchObject([
      { violation: { rule: 'I1' }, trace: { events: [expect.stringContaining('evicted')] } },
    ]);
  });
});
