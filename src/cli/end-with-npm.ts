/**
 * `npx recency …` and `npm run …` start the command through a shell. npm passes SIGTERM on to that shell alone, which ends and
 * leaves the command running, without anybody who knows of it. So what npm started ends when its parent has ended.
 */
import process from 'node:process';
import { isStartedByNpm } from '../config/environment.ts';

/** Time between two looks at the parent, ms. */
const LOOK_MS = 250;

/**
 * Where npm started this process: sends it SIGTERM once its parent has ended, so that it ends in order. Elsewhere does nothing: a
 * process that was put into the background of a shell is meant to outlive it.
 */
export function endWithNpm(): void {
  if (!isStartedByNpm()) return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  looking.unref();
}
