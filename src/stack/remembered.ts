import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import type { LaunchedServer } from './server.ts';
import type { MissingPart } from './stack.ts';

/** Servers that outlive the command which started them. */
export interface RememberedStack {
  /** The process that owns them. */
  readonly owner: number;
  /** Their data. */
  readonly dir: string;
  readonly parts: readonly LaunchedServer[];
  readonly missing: readonly MissingPart[];
}

/** Beside the project, so that every working copy has a stack of its own. */
const file = (): string => resolve('.recency', 'stack.json');

/** Written whole or not at all: another command may read it at any time. */
export function rememberStack(stack: RememberedStack): void {
  mkdirSync(dirname(file()), { recursive: true });
  const unfinished = `${file()}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(stack, null, 2)}\n`);
  renameSync(unfinished, file());
}

/** The remembered stack, running or not. */
export function recallStack(): RememberedStack | undefined {
  return existsSync(file()) ? (JSON.parse(readFileSync(file(), 'utf8')) as RememberedStack) : undefined;
}

export function forgetStack(): void {
  rmSync(file(), { force: true });
}
