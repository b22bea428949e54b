import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A clone of the repository, of which only the command and package.json matter here. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'package.json']) cpSync(name, join(folder, name), { recursive: true });
  return folder;
}

function build(folder: string): void {
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
  writeFileSync(join(folder, 'dist', 'cli', 'main.js'), 'console.log(process.argv.slice(2).join());');
}

function run(folder: string, args: readonly string[], node: readonly string[] = []) {
  const command = [...node, join(folder, 'bin', 'recency.mjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Makes Node claim to be another version. */
const claiming = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`,
];

describe('the command that npm links', () => {
  it('is the one that package.json names, and is packed', () => {
    const { bin, files } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(bin).toEqual({ recency: 'bin/recency.mjs' });
    expect(files).toEqual(expect.arrayContaining(['bin', 'dist']));
  });

  it('runs the build, with its arguments', () => {
    const folder = clone();
    build(folder);
    expect(run(folder, ['inspect', '42'])).toEqual({ status: 0, stdout: 'inspect,42\n', stderr: '' });
  });

  it('says what to run where there is no build', () => {
    const { status, stdout, stderr } = run(clone(), ['--version']);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^Recency is not built yet\. Run `npm run build` in .+\n`npm run recency -- COMMAND` works without/,
    );
  });

  it('says that Node.js is too old, by what package.json asks for', () => {
    const folder = clone();
    build(folder);
    const least = Number(/^>=(\d+)$/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node)?.[1]);
    const { status, stderr } = run(folder, ['x'], claiming(`${least - 1}.9.9`));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(`Recency needs Node.js ${least} or newer; this is ${least - 1}.9.9.`),
    });
    for (const version of [`${least}.0.0`, '100.1.0']) expect(run(folder, ['x'], claiming(version)).status).toBe(0);
  });
});
