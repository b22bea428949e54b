import { type Command, Option } from 'commander';
import type { JobParts } from '../app/jobs.ts';
import type { Times } from '../app/run-process.ts';
import type { Id } from '../contracts/id.ts';
import { KIND_NAMES } from '../contracts/kind.ts';
import type { RunKind } from '../mysql/runs.ts';
import type { Job, JobProgress } from '../repair/job.ts';
import type { PagedRunStores } from '../repair/paged-run.ts';
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
  readonly kind?: string;
}

export function kindOption(command: Command): Command {
  return command.addOption(new Option('--kind <name>', 'only this kind; default: all in use').choices(KIND_NAMES));
}

export function rangeOptions(command: Command): Command {
  return command.option('--from <id>', 'first user', id).option('--to <id>', 'last user', id);
}

/** One user instead of a sample. @param what for people */
export function userOption(command: Command, what: string, conflicts: string[]): Command {
  return command.addOption(new Option('--user <id>', what).argParser(id).conflicts(conflicts));
}

export function usersOption(command: Command, what: string): Command {
  return command.option('--users <n|all>', `${what}: a random sample of n, or all (default: all)`, usersOrAll);
}

export function runOptions(command: Command): Command {
  return command
    .option('--rate <n>', 'maximum users per second', whole(1, 1_000_000))
    .option('--dry-run', 'only count; write to no index')
    .option('--resume <run>', 'continue a run that was stopped or killed', id);
}

/** The request of a long job. @throws UsageError when the options contradict one another */
export function runRequest({ users, from, to, rate, dryRun, resume, kind }: JobFlags) {
  refuseEmptyRange(from, to);
  const rateOption = rate === undefined ? {} : { rate };
  if (resume === undefined) {
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(typeof users === 'number' ? { sample: users } : {}),
      ...(dryRun ? { dryRun } : {}),
      ...(kind === undefined ? {} : { kinds: [kind] }),
      ...rateOption,
    };
  }
  if (users !== undefined || from !== undefined || to !== undefined || dryRun || kind !== undefined) {
    throw new UsageError('--resume keeps the options that the run was started with; only --rate can be changed.');
  }
  return { resume, ...rateOption };
}

/** Shows how far a job is. */
export function showProgress(output: Output): { onProgress: (progress: JobProgress) => void; stop: () => void } {
  const shown = output.progress('users');
  return {
    onProgress: ({ done, total }) => shown.update(done, total),
    stop: () => shown.stop(),
  };
}

/**
 * Runs a job that keeps its cursor in MySQL. Only one process runs a job of a kind at a time; this one waits for its turn. When
 * the job fails or is interrupted, a note says how to resume it.
 */
export async function runRecordedJob<T>(
  output: Output,
  kind: RunKind,
  signal: AbortSignal,
  make: (stores: PagedRunStores, parts: JobParts) => Job & { readonly result: T },
  times: Partial<Times> = {},
): Promise<T> {
  const [{ whileLeaseHolder, withJobParts }, { runToEnd }] = await Promise.all([
    import('../app/jobs.ts'),
    import('../repair/job.ts'),
  ]);
  const onWaiting = () => output.note(`Another process is running a ${kind}; waiting for it to end.`);
  const work = (parts: JobParts) =>
    whileLeaseHolder(parts, kind, onWaiting, async (stores, whileHeld) => {
      const job = make(stores, parts);
      const shown = showProgress(output);
      let run: Id | undefined;
      const onProgress = (progress: JobProgress) => {
        run = progress.run;
        shown.onProgress(progress);
      };
      try {
        await runToEnd(job, { signal: whileHeld, onProgress }).finally(shown.stop);
        return job.result;
      } catch (error) {
        if (run !== undefined) output.note(`Run ${run} is incomplete. Resume it: \`recency ${kind} --resume ${run}\``);
        throw error;
      }
    });
  return await withJobParts(kind, signal, work, times);
}
