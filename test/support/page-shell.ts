import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';

/** What a block printed, on both streams. */
export interface BlockRun {
  readonly code: string;
  readonly output: string;
}

interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** ms */
  readonly timeout: number;
}

/**
 * Runs blocks in order in one bash, as a reader does who pastes them. The first command that fails ends it. Whatever still
 * runs is killed when the test has finished.
 * @throws what ended it, with the block and its output
 */
export async function runBlocks(codes: readonly string[], { cwd, env, timeout }: ShellOptions): Promise<BlockRun[]> {
  const folder = join(cwd, '.blocks');
  mkdirSync(folder);
  const outputOf = (i: number) => join(folder, `${i}.out`);
  const parts = codes.map((code, i) => `echo ${i} > "$BLOCKS/now"\n{\n${code}\n} > "$BLOCKS/${i}.out" 2>&1\n`);
  writeFileSync(join(folder, 'all.sh'), `set -e\n${parts.join('')}`);
  const shell = spawn('bash', [join(folder, 'all.sh')], {
    ...{ cwd, env: { ...env, BLOCKS: folder } },
    ...{ detached: true, stdio: ['ignore', 'inherit', 'inherit'] },
  });
  onTestFinished(() => endGroup(shell.pid));
  const timer = setTimeout(() => endGroup(shell.pid), timeout);
  const [code, signal] = await once(shell, 'exit');
  clearTimeout(timer);
  if (code !== 0) {
    const now = Number(readFileSync(join(folder, 'now'), 'utf8'));
    const why = signal === null ? `exit code ${code}` : `${signal}, after ${timeout} ms at most`;
    throw new Error(`${why} in the block\n${codes[now]}\n\nIt printed:\n${readFileSync(outputOf(now), 'utf8')}`);
  }
  return codes.map((text, i) => ({ code: text, output: readFileSync(outputOf(i), 'utf8') }));
}

/** The shell and what it left in the background. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // nothing is left of it
  }
}
