import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A project in a temporary folder with one of our scripts, and a fake `npm` first on the path. */
export class ScriptSandbox {
  readonly root: string;
  readonly #script: string;

  /** @param npm a shell script; its arguments are recorded for {@link npmCalls} */
  constructor(script: string, npm: string) {
    const outside = mkdtempSync(join(tmpdir(), 'recency-script-'));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    this.root = join(outside, 'a project'); // with a space, as folders of users have
    this.#script = join(this.root, 'scripts', script);
    mkdirSync(dirname(this.#script), { recursive: true });
    cpSync(fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url)), this.#script);
    this.write('bin/npm', `#!/bin/sh\necho "$*" >> '${join(this.root, 'npm-calls')}'\n${npm}\n`);
  }

  write(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o755 });
  }

  /** The script's file, for a test that starts it by itself. */
  get script(): string {
    return this.#script;
  }

  /** The environment in which the fake `npm` is found. */
  get environment(): Record<string, string> {
    return { PATH: `${join(this.root, 'bin')}:${process.env.PATH}` };
  }

  run(environment: Record<string, string> = {}): { status: number | null; stdout: string; stderr: string } {
    const env = { ...environment, ...this.environment };
    return spawnSync(process.execPath, [this.#script], { env, encoding: 'utf8' });
  }

  /** The arguments of each npm call, one call per line. */
  npmCalls(): string[] {
    const file = join(this.root, 'npm-calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }
}
