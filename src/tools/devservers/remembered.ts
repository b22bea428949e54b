import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { RUN_PREFIX } from './guardian/sweep.ts';
import type { LaunchedServer } from './server.ts';
import type { MissingPart } from './stack.ts';

/** Servers that outlive the command which started them. */
export interface RememberedStack {
  /** The process that owns them. */
  readonly owner: number;
  /** Their data. */
  readonly dir: string;
  /** The folder that they were started for. */
  readonly folder: string;
  readonly parts: readonly LaunchedServer[];
  readonly missing: readonly MissingPart[];
}

/** What people call a stack: the end of the name of its data's folder. */
export function idOf({ dir }: Pick<RememberedStack, 'dir'>): string {
  return basename(dir).slice(RUN_PREFIX.length);
}

const NAME = 'stack.json';

/** Beside the project, so that every working copy can have a stack of its own. */
const fileOf = (folder: string): string => resolve(folder, '.recency', NAME);

/**
 * Remembers a stack beside the project, and with its data in the system's folder for temporary files: there it is found from
 * every folder for as long as it runs, and it goes with the data.
 */
export function rememberStack(stack: RememberedStack): void {
  mkdirSync(dirname(fileOf(stack.folder)), { recursive: true });
  for (const file of [join(stack.dir, NAME), fileOf(stack.folder)]) write(file, stack);
}

/** Whole or not at all: another command may read it at any time. */
function write(file: string, stack: RememberedStack): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(stack, null, 2)}\n`);
  renameSync(unfinished, file);
}

/** The stack remembered beside this folder's project, running or not. */
export function recallStack(): RememberedStack | undefined {
  const folder = process.cwd();
  const stack = read(fileOf(folder));
  return stack && { ...stack, folder };
}

/** Every stack of this user, whatever folder it was started for; their owners may have been killed. */
export function recallAllStacks(): RememberedStack[] {
  const runs = readdirSync(tmpdir()).filter((name) => name.startsWith(RUN_PREFIX));
  return runs
    .map((name) => join(tmpdir(), name))
    .filter(isOurs)
    .flatMap((dir) => {
      const stack = read(join(dir, NAME));
      return stack === undefined ? [] : [{ ...stack, dir }]; // the folder that it is in, whatever it says
    });
}

/** Anybody may make a folder among the temporary ones, and name processes in it that we would end. */
function isOurs(dir: string): boolean {
  const found = lstatSync(dir, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function read(file: string): RememberedStack | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RememberedStack;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // it was ended meanwhile
    throw error;
  }
}

/** The project of the folder forgets the stack, unless it has another one by now. */
export function forgetStack({ folder, dir }: Pick<RememberedStack, 'folder' | 'dir'>): void {
  if (read(fileOf(folder))?.dir === dir) rmSync(fileOf(folder), { force: true });
}
