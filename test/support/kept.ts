/** What several test files need and is expensive to make: made once, in .recency, and kept under the hash of what it is made of. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How often a process looks whether another one has made it, ms. */
const LOOK_MS = 100;

/**
 * Of several processes that ask for a folder at once, one makes it, and the others wait.
 * @param key what it is made of: see {@link hashOf}
 * @param make fills an empty folder, which gets its name when it is complete
 * @returns its path; only to be read
 */
export function keptFolder(kind: string, key: string, make: (folder: string) => void): string {
  const folder = join(root, '.recency', kind, key);
  const lock = `${folder}.lock`;
  mkdirSync(dirname(folder), { recursive: true });
  while (!existsSync(folder)) {
    if (!tryLock(lock)) {
      if (!isAlive(holderOf(lock))) rmSync(lock, { force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
      continue;
    }
    try {
      makeWhole(folder, make);
    } finally {
      rmSync(lock, { force: true });
    }
  }
  return folder;
}

/** The lock only saves work: what two processes make is the same, and the first to be complete is kept. */
function makeWhole(folder: string, make: (folder: string) => void): void {
  const part = `${folder}.${process.pid}`;
  try {
    mkdirSync(part);
    make(part);
    if (!existsSync(folder)) renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** 0 while the holder has not written its id yet, or when the lock is gone. */
function holderOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** @param paths files and folders of the project @returns a hash of the names and contents of all files in them */
export function hashOf(...paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => join(path, name)).filter((file) => statSync(join(root, file)).isFile());
}
