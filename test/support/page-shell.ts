import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import type { PageBlock } from './page-blocks.ts';

/** A block that was run. */
export interface RunBlock {
  readonly code: string;
  /** What it printed: on stdout, or on both streams where they are merged. */
  readonly output: string;
  /** What the page shows of that: the block after it, unless that is run as well. */
  readonly shown: PageBlock | undefined;
}

interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** ms */
  readonly timeout: number;
  /** The command that reads blocks of SQL. */
  readonly sqlClient?: string;
  /** Both streams in their order, as a terminal shows them. */
  readonly merged?: boolean;
}

/** Lines of progress, which only a slow machine prints. */
const PROGRESS = /^\d+( of \d+)? \w+, \d+\/s(, .*)?\n/gm;

/**
 * Runs the blocks of a page that are commands or SQL, in order in one bash, as a reader does who pastes them: what is exported or
 * in the background lasts. The first command that fails ends it. Whatever still runs is killed when the test has finished.
 * @throws what ended it, with the block and its output; a block that is neither run nor follows one that is
 */
export async function runBlocks(blocks: readonly PageBlock[], options: ShellOptions): Promise<RunBlock[]> {
  const folder = join(options.cwd, '.blocks');
  mkdirSync(folder);
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  const runs = runsIn(blocks);
  writeFileSync(join(folder, 'all.sh'), scriptOf(runs, options));
  const failure = await runScript(join(folder, 'all.sh'), options);
  if (failure !== undefined) {
    const now = read('now').trim();
    const printed = `${read(`${now}.out`)}${read(`${now}.err`)}`;
    throw new Error(`${failure} in the block\n${runs[Number(now)]?.code}\n\nIt printed:\n${printed}`);
  }
  return runs.map(({ code, shown }, place) => ({ code, shown, output: read(`${place}.out`).replaceAll(PROGRESS, '') }));
}

function runsIn(blocks: readonly PageBlock[]) {
  return blocks.flatMap((block, place) => {
    const [before, next] = [blocks[place - 1], blocks[place + 1]];
    if (isRun(block)) return [{ ...block, shown: next === undefined || isRun(next) ? undefined : next }];
    if (before === undefined || !isRun(before))
      throw new Error(`${block.page}:${block.line} shows what nothing printed`);
    return [];
  });
}

const isRun = ({ language }: Pick<PageBlock, 'language'>) => language === 'sh' || language === 'sql';

/** What block N prints is in the files N.out and N.err of $BLOCKS, and `now` names the last one that was begun. */
function scriptOf(
  blocks: readonly Pick<PageBlock, 'language' | 'code'>[],
  { sqlClient, merged = false }: ShellOptions,
): string {
  const parts = blocks.map(({ language, code }, place) => {
    const to = `>"$BLOCKS/${place}.out" 2>${merged ? '&1' : `"$BLOCKS/${place}.err"`}`;
    const isSql = language === 'sql';
    if (isSql && sqlClient === undefined) throw new Error(`nothing reads SQL here: ${code}`);
    const run = isSql ? `${sqlClient} ${to} <<'END_OF_SQL'\n${code}\nEND_OF_SQL` : `{\n${code}\n} ${to}`;
    return `echo ${place} >"$BLOCKS/now"\n${run}\n`;
  });
  return `set -euo pipefail\n${parts.join('')}`;
}

/** @returns why it did not end well */
async function runScript(file: string, { cwd, env, timeout }: ShellOptions): Promise<string | undefined> {
  const shell = spawn('bash', [file], {
    ...{ cwd, env: { ...env, BLOCKS: join(cwd, '.blocks') } },
    ...{ detached: true, stdio: ['ignore', 'inherit', 'inherit'] },
  });
  onTestFinished(() => endGroup(shell.pid));
  const timer = setTimeout(() => endGroup(shell.pid), timeout);
  const [code, signal] = await once(shell, 'exit');
  clearTimeout(timer);
  if (code === 0) return undefined;
  return signal === null ? `exit code ${code}` : `${signal}, after ${timeout} ms at most`;
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

/** `recency` as an installation has it: the source's. */
export const RECENCY = `exec "${process.execPath}" "${resolve('src/cli/main.ts')}" "$@"`;

/**
 * Makes commands for the blocks of a page.
 * @param folder a new one
 * @param commands what each of them does in sh, by its name
 * @returns a PATH on which they are the first
 */
export function commandsIn(folder: string, commands: Readonly<Record<string, string>>): string {
  mkdirSync(folder);
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return `${folder}:${process.env.PATH}`;
}
