import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { isAlive } from '../../devservers/supervisor/reaper.ts';
import type { Purpose } from '../namespace.ts';

const LINES_SHOWN = 12;

/** What the log of a process is full of when all is well. */
const ORDINARY = /^\{"level":"(trace|debug|info)"/;

/** The folder of one demonstration or benchmark, with the process id of whoever runs it. */
const FOLDER = /^(?:demo|bench|soak)-(\d+)$/;

/** What the processes of one demonstration or benchmark say, in a folder of its own until the end. */
export class ProcessLogs {
  readonly #dir: string;

  /** Removes what those that were killed have left. */
  constructor(purpose: Purpose) {
    this.#dir = resolve('.recency', `${purpose}-${process.pid}`);
    const folder = resolve('.recency');
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const pid = Number(FOLDER.exec(name)?.[1] ?? process.pid);
      if (pid === process.pid || isAlive(pid)) continue;
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }

  /** The file of one process, whose name may hold spaces. */
  fileOf(name: string): string {
    mkdirSync(this.#dir, { recursive: true });
    return join(this.#dir, `${name.replaceAll(' ', '-')}.log`);
  }

  /** The last of what each of them said that is out of the ordinary; '' when nothing was. */
  lastWords(): string {
    const files = existsSync(this.#dir) ? readdirSync(this.#dir).sort() : [];
    return files.flatMap((file) => lastWordsIn(join(this.#dir, file))).join('\n');
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function lastWordsIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const last = lines.filter((line) => line !== '' && !ORDINARY.test(line)).slice(-LINES_SHOWN);
  return last.length === 0 ? [] : [`The log of ${basename(file, '.log')}:`, ...last];
}
