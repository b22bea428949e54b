import type { Command } from 'commander';
import type { Times } from '../app/run-process.ts';
import type { Id } from '../contracts/id.ts';
import { counting } from '../health/finding.ts';
import type { BackfillResult } from '../repair/backfill.ts';
import type { RepairResult } from '../repair/repair.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { answersText, driftText, failedText, truthText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import {
  type JobFlags,
  kindOption,
  rangeOptions,
  runOptions,
  runRecordedJob,
  runRequest,
  userOption,
  usersOption,
} from './job-command.ts';

export function addBackfill(program: Command): void {
  const command = defineCommand(program, {
    usage: 'backfill',
    summary:
      'builds the indexes of all users, or of a range; resumable; safe while consumers run; exits with 1 when users failed',
    example: 'backfill --from 1 --to 100000 --rate 500',
  });
  action<JobFlags>(kindOption(runOptions(rangeOptions(command))), async (output, flags) => {
    const request = runRequest(flags);
    const { createBackfill } = await import('../repair/backfill.ts');
    const result = await interruptible((signal) =>
      runRecordedJob(output, 'backfill', signal, (stores, { kinds }) => createBackfill({ ...stores, kinds }, request)),
    );
    await output.result(result, backfillText(result));
    if (result.failed > 0) output.exitCode = EXIT.failed;
  });
}

function backfillText(result: BackfillResult): string {
  const { run, users, rebuilt, small, unsettled, obstructed, rows_read, seconds } = result;
  if (result.dry_run) return `Run ${run}, dry run: ${counting(users, 'user')}; nothing was written.`;
  return [
    `Run ${run}: ${rebuilt} of ${counting(users, 'index', 'indexes')} built in ${seconds.toFixed(1)} s, ${counting(rows_read, 'row')} read.`,
    ...(small > 0
      ? [
          `${small} have none: too few contacts for an index to pay (RECENCY_INDEX_ABOVE), or nobody has one (RECENCY_KEEP is 0).`,
        ]
      : []),
    ...(unsettled > 0 ? [`${unsettled} kept changing while they were built; the consumers build them later.`] : []),
    ...(obstructed > 0
      ? [`${obstructed} cannot be stored: another program's key has the name. \`recency verify\` lists them.`]
      : []),
    ...failedText(result),
  ].join('\n');
}

interface RepairFlags extends JobFlags {
  readonly user?: Id;
}

export function addRepair(program: Command, times: Partial<Times>): void {
  const command = defineCommand(program, {
    usage: 'repair',
    summary:
      'verifies indexes and rebuilds those that are, or may be, wrong; resumable; exits with 3 unless all is well afterwards',
    example: 'repair --users all --dry-run',
  });
  kindOption(runOptions(usersOption(command, 'users to repair')));
  userOption(command, 'repair one user', ['users', 'resume']);
  action<RepairFlags>(command, async (output, { user, ...flags }) => {
    const request = runRequest(user === undefined ? flags : { ...flags, from: user, to: user });
    const { createRepair } = await import('../repair/repair.ts');
    const result = await interruptible((signal) =>
      runRecordedJob(
        output,
        'repair',
        signal,
        (stores, { kinds }) => createRepair({ ...stores, kinds }, request),
        times,
      ),
    );
    await output.result(result, text(result));
    if (result.failed > 0) output.exitCode = EXIT.failed;
    if (!isRight(result)) output.exitCode = EXIT.driftFound;
  });
}

/**
 * All is well now. Users who were unsettled at first count against it although they were rebuilt: nobody can say what was wrong.
 * So do views that contradict one another, which no repair fixes.
 */
function isRight(result: RepairResult): boolean {
  const { dry_run, wrong, unsettled, still_wrong, still_unsettled, answers_wrong, answers_unsettled } = result;
  const left = dry_run ? wrong : still_wrong + still_unsettled + answers_wrong + answers_unsettled;
  return left + unsettled + result.truth.wrong === 0;
}

function text(result: RepairResult): string {
  const { run, dry_run, repaired, still_wrong, still_unsettled, answers_checked, rows_read, seconds } = result;
  const outcome = dry_run
    ? 'Dry run: nothing was written.'
    : `${repaired} repaired, ${still_wrong} still wrong, ${still_unsettled} still unsettled.`;
  const answers = answers_checked > 0 ? [`Afterwards ${answersText(result)}`] : [];
  return [
    driftText(result),
    ...truthText(result),
    ...answers,
    `Run ${run}: ${outcome} ${seconds.toFixed(1)} s, ${counting(rows_read, 'row')} read.`,
    ...failedText(result),
  ].join('\n');
}
