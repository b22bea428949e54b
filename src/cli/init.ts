import type { Command } from 'commander';
import { aboutOf, checksOf } from '../adoption/guess.ts';
import type { Proposal } from '../adoption/propose.ts';
import { defineCommand, whenCalled } from './define-command.ts';
import { EXIT } from './exit-code.ts';
import { interruptible } from './interrupt.ts';

export function addInit(program: Command): void {
  const command = defineCommand(program, {
    usage: 'init',
    summary:
      "inspects a site's database and proposes, as files to edit, the views, the indexes they need and the capture mapping; changes nothing in the database",
    example: 'init --out recency-init',
  }).option('--out <folder>', 'where to write the files; none is written over', 'recency-init');
  whenCalled<{ out: string }>(command, async (output, { out }) => {
    const [{ proposeFor, writeProposal }, { withPrimary }] = await Promise.all([
      import('../app/adoption.ts'),
      import('../app/stores.ts'),
    ]);
    const proposal = await interruptible((signal) => withPrimary(({ primary }) => proposeFor(primary), signal));
    const files = await writeProposal(proposal, out);
    const { database, server, guesses, leftOut } = proposal;
    const views = proposal.views.map(({ name }) => name);
    const isWhole = views.length === 2;
    await output.result({ database, server, files, views, guesses, left_out: leftOut }, () =>
      reportText(proposal, files),
    );
    if (!isWhole) output.exitCode = EXIT.failed;
  });
}

function reportText({ database, server, guesses, leftOut, alterations }: Proposal, files: readonly string[]): string {
  const list = (title: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`\n${title}`, ...all.map((line) => `  ${line}`)];
  return [
    `${database} on ${server}. Nothing in it was changed.`,
    ...list(
      'Guessed (why: in the files):',
      guesses.map(({ about, guess }) => `${about}: ${guess}`),
    ),
    ...list(
      'To be checked by somebody who knows the site:',
      checksOf(guesses).map((check) => `${aboutOf(check)}: ${check.check}`),
    ),
    ...list(
      'Not decided:',
      leftOut.map(({ about, guess, why, check }) => `${about}: ${guess}: ${why}.${check ? ` ${check}` : ''}`),
    ),
    `\nWritten: ${files.join(', ')}`,
    `Next: edit them; run indexes.sql (${alterations.length} changes) and views.sql in the database; \`recency migrate --views-only\`; \`recency doctor\`.`,
  ].join('\n');
}
