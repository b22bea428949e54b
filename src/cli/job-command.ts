import type { Command } from 'commander';
import type { Id } from '../contracts/id.ts';
import type { Progress } from '../repair/progress.ts';
import { id, refuseEmptyRange, usersOrAll, whole } from './arguments.ts';
import { UsageError } from './exit-code.ts';
import type { Output } from './output.ts';

/** Options that the long jobs share. */
export interface JobFlags {
  readonly users?: number | 'all';
  readonly from?: Id;
  readonly to?: Id;
  readonly rate?: number;
  readonly dryRun?: boolean;
  readonly resume?: Id;
}

export function rangeOptions(command: Command): Command {
  return command.option('--from <id>', 'the first user', id).option('--to <id>', 'the last user', id);
}

export function usersOption(command: Command, what: string): Command {
  return command.option('--users <n|all>', `${what}: so many, taken at random, or all (all)`, usersOrAll);
}

export function runOptions(command: Command): Command {
  return command
    .option('--rate <n>', 'users a second at the most', whole(1, 1_000_000))
    .option('--dry-run', 'only count; write to no index')
    .option('--resume <run>', 'go on with a run that was stopped or killed', id);
}

/** What a long job is asked for. @throws UsageError when the options contradict one another */
export function runRequest(flags: JobFlags) {
  const { users, from, to, rate, dryRun, resume } = flags;
  refuseEmptyRange(from, to);
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const sample = typeof users === 'number' ? { sample: users } : {};
  const pace = rate === undefined ? {} : { rate };
  if (resume === undefined) return { ...range, ...sample, ...pace, ...(dryRun ? { dryRun } : {}) };
  if (users !== undefined || from !== undefined || to !== undefined || dryRun) {
    throw new UsageError('--resume goes on with what the run was started with; only --rate can be given anew.');
  }
  return { resume, ...pace };
}

/** Shows how far a job is. */
export function showProgress(output: Output): { onProgress: (progress: Progress) => void; stop: () => void } {
  const shown = output.progress('users');
  return {
    onProgress: ({ done, total }) => shown.update(done, { total: Math.max(done, Math.round(total)) }),
    stop: () => shown.stop(),
  };
}

/** For a run that was ended before its end: how to go on. */
export function sayResume(output: Output, kind: string, run: Id | undefined): void {
  if (run !== undefined) output.note(`Run ${run} is not done. \`recency ${kind} --resume ${run}\` goes on with it.`);
}
