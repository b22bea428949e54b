import type { Command } from 'commander';
import type { RepairResult } from '../repair/repair.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { driftText, failedText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import { type JobFlags, runOptions, runRequest, usersOption } from './job-command.ts';
import { runRecordedJob } from './run-job.ts';

export function addRepair(program: Command): void {
  const command = defineCommand(program, {
    usage: 'repair',
    summary: 'verifies indexes, and rebuilds what is wrong; resumable; exit 3 when something is wrong afterwards',
    example: 'repair --users all --dry-run',
  });
  whenCalled<JobFlags>(runOptions(usersOption(command, 'whom to repair')), async (output, flags) => {
    const request = runRequest(flags);
    const { Repair } = await import('../repair/repair.ts');
    const result = await interruptible((signal) =>
      runRecordedJob(
        output,
        'repair',
        signal,
        (stores, { check, indexedUsers, stores: { patient: steps } }) =>
          new Repair({ ...stores, check, steps, indexedUsers }, request),
      ),
    );
    await output.result(result, text(result));
    if (result.failed > 0) output.exitCode = EXIT.failed;
    const left = result.dry_run ? result.wrong : result.still_wrong + result.answers_wrong;
    if (left > 0) output.exitCode = EXIT.driftFound;
  });
}

function text(result: RepairResult): string {
  const { run, dry_run, repaired, still_wrong, rows_read, seconds } = result;
  const outcome = dry_run ? 'Dry: nothing was written.' : `${repaired} repaired, ${still_wrong} still wrong.`;
  const summary = `Run ${run}: ${outcome} ${seconds.toFixed(1)} s, ${rows_read} rows read.`;
  return [driftText(result), summary, ...failedText(result)].join('\n');
}
