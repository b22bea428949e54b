import { type Command, Option } from 'commander';
import type { VerifyRequest } from '../repair/verify.ts';
import type { VerifyResult } from '../repair/verify-result.ts';
import { id } from './arguments.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { answersText, driftText, failedText, truthText, userText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';
import { type JobFlags, kindOption, runRequest, showProgress, usersOption } from './job-command.ts';
import type { Output } from './output.ts';

interface VerifyFlags extends Pick<JobFlags, 'users' | 'kind'> {
  readonly user?: string;
}

export function addVerify(program: Command): void {
  const command = defineCommand(program, {
    usage: 'verify',
    summary:
      'compares indexes and answers with plain SQL, and the views with the photos; changes nothing; exits with 3 when anything differs or cannot be decided',
    example: 'verify --users 1000',
  });
  kindOption(usersOption(command, 'users to verify')).addOption(
    new Option('--user <id>', 'verify one user, with every request that a client can make')
      .argParser(id)
      .conflicts('users'),
  );
  whenCalled<VerifyFlags>(command, async (output, { user, ...flags }) => {
    const { kinds, ...sampled } = runRequest(flags) as Exclude<VerifyRequest, { user: string }>;
    const request = { ...(user === undefined ? sampled : { user }), ...(kinds && { kinds }) };
    const result = await interruptible((signal) => verify(output, request, signal));
    await output.result(result, text(result));
    if (result.failed > 0) output.exitCode = EXIT.failed;
    if (!isRight(result)) output.exitCode = EXIT.driftFound;
  });
}

async function verify(output: Output, request: VerifyRequest, signal: AbortSignal): Promise<VerifyResult> {
  const [{ withJobParts }, { Verify }, { runToEnd }] = await Promise.all([
    import('../app/jobs.ts'),
    import('../repair/verify.ts'),
    import('../repair/job.ts'),
  ]);
  return await withJobParts('verify', signal, async ({ stores: { primary }, kinds }) => {
    const now = () => performance.now();
    const job = new Verify({ primary, kinds, now, random: Math.random }, request);
    const { onProgress, stop } = showProgress(output);
    await runToEnd(job, { signal, onProgress }).finally(stop);
    return job.result;
  });
}

/** Nothing differs, and everything could be decided. */
function isRight({ wrong, unsettled, answers_wrong, answers_unsettled, columns, truth }: VerifyResult): boolean {
  return wrong + unsettled + answers_wrong + answers_unsettled + columns.wrong + truth.wrong === 0;
}

function text(result: VerifyResult): string {
  const { columns, odd_rows, seconds, wrong_answers, wrong_columns } = result;
  const odd = Object.entries(odd_rows).filter(([, count]) => count > 0);
  return [
    driftText(result),
    answersText(result),
    ...wrong_answers.map(
      ({ wrong, ...about }) =>
        `  ${userText(about)}: ${wrong.length} answers; \`recency verify --user ${about.user}\` shows more`,
    ),
    ...truthText(result),
    ...(columns.users > 0
      ? [`${columns.wrong} of ${columns.users} users have last_…_at columns that differ from their photos.`]
      : []),
    ...(wrong_columns.length > 0 ? [`  users ${wrong_columns.join(', ')}`] : []),
    ...(odd.length > 0 ? [`Odd rows: ${odd.map(([kind, count]) => `${kind} ${count}`).join(', ')}.`] : []),
    ...failedText(result),
    `${seconds.toFixed(1)} s.`,
  ].join('\n');
}
