import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { isAlive } from '../../devservers/supervisor/reaper.ts';
import type { Purpose } from '../namespace.ts';

const LINES_SHOWN = 12;

/** Log lines that are normal. */
const ORDINARY = /^\{"level":"(trace|debug|info)"/;

const FOLDER = /^(?:demo|bench|soak)-(\d+)$/;

/** The output of the processes of one demonstration or benchmark, in its own folder until the end. */
export class ProcessLogs {
  readonly #dir: string;

  /** Removes folders that killed runs left behind. */
  constructor(purpose: Purpose) {
    this.#dir = resolve('.recency', `${purpose}-${process.pid}`);
    const folder = resolve('.recency');
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const pid = Number(FOLDER.exec(name)?.[1] ?? process.pid);
      if (pid === process.pid || isAlive(pid)) continue;
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }

  fileOf(name: string): string {
    mkdirSync(this.#dir, { recursive: true });
    return join(this.#dir, `${name.replaceAll(' ', '-')}.log`);
  }

  /** The last unusual lines of each process; '' if there are none. */
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
