import type { Command } from 'commander';
import type { RepairResult } from '../repair/repair.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { answersText, driftText, failedText, truthText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import { type JobFlags, kindOption, runOptions, runRecordedJob, runRequest, usersOption } from './job-command.ts';

export function addRepair(program: Command): void {
  const command = defineCommand(program, {
    usage: 'repair',
    summary:
      'verifies indexes and rebuilds those that are, or may be, wrong; resumable; exits with 3 unless all is well afterwards',
    example: 'repair --users all --dry-run',
  });
  whenCalled<JobFlags>(kindOption(runOptions(usersOption(command, 'users to repair'))), async (output, flags) => {
    const request = runRequest(flags);
    const { createRepair } = await import('../repair/repair.ts');
    const result = await interruptible((signal) =>
      runRecordedJob(output, 'repair', signal, (stores, { kinds }) => createRepair({ ...stores, kinds }, request)),
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
    `Run ${run}: ${outcome} ${seconds.toFixed(1)} s, ${rows_read} rows read.`,
    ...failedText(result),
  ].join('\n');
}
