import type { Command } from 'commander';
import type { JobParts } from '../app/jobs.ts';
import type { Times } from '../app/run-process.ts';
import { counting } from '../health/finding.ts';
import type { VerifyResult } from '../repair/examples.ts';
import type { VerifyRequest } from '../repair/verify.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { answersText, driftText, failedText, truthText, userText } from './drift-text.ts';
import { EXIT } from './exit-code.ts';
import { type JobFlags, kindOption, runRequest, showProgress, userOption, usersOption } from './job-command.ts';
import type { Output } from './output.ts';

interface VerifyFlags extends Pick<JobFlags, 'users' | 'kind'> {
  readonly user?: string;
}

export function addVerify(program: Command, times: Partial<Times>): void {
  const command = defineCommand(program, {
    usage: 'verify',
    summary:
      'compares indexes and answers with plain SQL, and the views with the photos; changes nothing; exits with 3 when anything differs or cannot be decided',
    example: 'verify --users 1000',
  });
  kindOption(usersOption(command, 'users to verify'));
  userOption(command, 'verify one user, with every request that a client can make', ['users']);
  action<VerifyFlags>(command, async (output, { user, ...flags }) => {
    const { kinds, ...sampled } = runRequest(flags) as Exclude<VerifyRequest, { user: string }>;
    const request = { ...(user === undefined ? sampled : { user }), ...(kinds && { kinds }) };
    const result = await interruptible((signal) => verify(output, request, { signal, times }));
    await output.result(result, text(result, user));
    if (result.failed > 0) output.exitCode = EXIT.failed;
    if (!isRight(result)) output.exitCode = EXIT.driftFound;
  });
}

async function verify(
  output: Output,
  request: VerifyRequest,
  { signal, times }: { readonly signal: AbortSignal; readonly times: Partial<Times> },
): Promise<VerifyResult> {
  const [{ withJobParts }, { Verify }, { runToEnd }] = await Promise.all([
    import('../app/jobs.ts'),
    import('../repair/verify.ts'),
    import('../repair/job.ts'),
  ]);
  const work = async ({ stores: { primary }, kinds }: JobParts) => {
    const now = () => performance.now();
    const job = new Verify({ primary, kinds, now, random: Math.random }, request);
    const { onProgress, stop } = showProgress(output);
    await runToEnd(job, { signal, onProgress }).finally(stop);
    return job.result;
  };
  return await withJobParts('verify', signal, work, times);
}

/** Nothing differs, everything could be decided, and no view returns a pair twice. */
function isRight({
  wrong,
  unsettled,
  answers_wrong,
  answers_unsettled,
  columns,
  truth,
  odd_rows,
}: VerifyResult): boolean {
  const differing = wrong + unsettled + answers_wrong + answers_unsettled + columns.wrong + truth.wrong;
  return differing + odd_rows.duplicate === 0;
}

/** @param user the one who was verified; undefined: several */
function text(result: VerifyResult, user?: string): string {
  const { columns, odd_rows, seconds, wrong_answers, wrong_columns } = result;
  const odd = Object.entries(odd_rows).filter(([, count]) => count > 0);
  return [
    driftText(result),
    answersText(result),
    ...wrong_answers.flatMap((example) => (user === undefined ? [pointer(example)] : details(example))),
    ...truthText(result),
    ...(columns.users > 0
      ? [`Columns last_…_at that differ from the photos: of ${columns.wrong} of ${counting(columns.users, 'user')}.`]
      : []),
    ...(wrong_columns.length > 0 ? [`  users ${wrong_columns.join(', ')}`] : []),
    ...(odd.length > 0 ? [`Odd rows: ${odd.map(([kind, count]) => `${kind} ${count}`).join(', ')}.`] : []),
    ...failedText(result),
    `${seconds.toFixed(1)} s.`,
  ].join('\n');
}

type WrongAnswers = VerifyResult['wrong_answers'][number];

function pointer({ wrong, ...about }: WrongAnswers): string {
  const found = `  ${userText(about)}: ${counting(wrong.length, 'answer')}`;
  return `${found}; \`recency verify --user ${about.user}\` shows more`;
}

/** Answers that are shown. */
const SHOWN = 5;

/** The others are often wrong for the same reason. */
function details({ wrong, ...about }: WrongAnswers): string[] {
  const shown = wrong.slice(0, SHOWN).map(({ relation, limit, page, expected, got }) => {
    return `    relation ${relation}, limit ${limit}, page ${page + 1}: ${got.join(' ') || 'none'} instead of ${expected.join(' ') || 'none'}`;
  });
  const more = wrong.length > SHOWN ? [`    and ${wrong.length - SHOWN} more; --json shows all`] : [];
  return [`  ${userText(about)}: ${counting(wrong.length, 'answer')}`, ...shown, ...more];
}
