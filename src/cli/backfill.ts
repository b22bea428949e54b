import type { Command } from 'commander';
import type { BackfillResult } from '../repair/backfill.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { failedText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import { type JobFlags, kindOption, rangeOptions, runOptions, runRecordedJob, runRequest } from './job-command.ts';

export function addBackfill(program: Command): void {
  const command = defineCommand(program, {
    usage: 'backfill',
    summary:
      'builds the indexes of all users, or of a range; resumable; safe while consumers run; exits with 1 when users failed',
    example: 'backfill --from 1 --to 100000 --rate 500',
  });
  whenCalled<JobFlags>(kindOption(runOptions(rangeOptions(command))), async (output, flags) => {
    const request = runRequest(flags);
    const { createBackfill } = await import('../repair/backfill.ts');
    const result = await interruptible((signal) =>
      runRecordedJob(output, 'backfill', signal, (stores, { kinds }) => createBackfill({ ...stores, kinds }, request)),
    );
    await output.result(result, text(result));
    if (result.failed > 0) output.exitCode = EXIT.failed;
  });
}

function text(result: BackfillResult): string {
  const { run, users, rebuilt, unsettled, obstructed, rows_read, seconds } = result;
  if (result.dry_run) return `Run ${run}, dry run: ${users} users; nothing was written.`;
  return [
    `Run ${run}: ${rebuilt} of ${users} indexes built in ${seconds.toFixed(1)} s, ${rows_read} rows read.`,
    ...(unsettled > 0 ? [`${unsettled} kept changing while they were built; the consumers build them later.`] : []),
    ...(obstructed > 0
      ? [`${obstructed} cannot be stored: another program's key has the name. \`recency verify\` lists them.`]
      : []),
    ...failedText(result),
  ].join('\n');
}
