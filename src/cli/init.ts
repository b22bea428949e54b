import type { Command } from 'commander';
import { aboutOf, checksOf, type Guess } from '../adoption/guess.ts';
import type { Proposal } from '../adoption/propose.ts';
import { whole } from './arguments.ts';
import { action, defineCommand, interruptible } from './define-command.ts';
import { EXIT } from './exit-code.ts';
import type { Output } from './output.ts';

interface InitFlags {
  readonly out: string;
  readonly check?: string;
  readonly users: number;
}

export function addInit(program: Command): void {
  const command = defineCommand(program, {
    usage: 'init',
    summary:
      "inspects a site's database and proposes, as files to edit, the views, the indexes they need and the capture mapping; exits with 3 when a person must decide something; changes nothing in the database",
    example: 'init --out recency-init',
  })
    .option('--out <folder>', 'where to write the files; none is written over', 'recency-init')
    .option(
      '--check <file>',
      "writes nothing: compares the finished views with the site's own SQL, a SELECT with :user in the file",
    )
    .option('--users <n>', 'users to compare', whole(1, 1_000_000), 200);
  action<InitFlags>(command, async (output, { out, check, users }) => {
    if (check !== undefined) return await compare(output, check, users);
    const [{ proposeFor, writeProposal }, { withPrimary }] = await Promise.all([
      import('./adoption.ts'),
      import('../app/stores.ts'),
    ]);
    const proposal = await interruptible((signal) => withPrimary(({ primary }) => proposeFor(primary), signal));
    const files = await writeProposal(proposal, out);
    const { database, server, leftOut } = proposal;
    const views = proposal.views.map(({ name }) => name);
    const { guesses, decisions, notUsed } = sorted(proposal);
    const report = { database, server, files, views, guesses, decisions, not_used: notUsed, left_out: leftOut };
    await output.result(report, () => reportText(proposal, files));
    if (views.length < 2) output.exitCode = EXIT.failed;
    else if (decisions.length > 0) output.exitCode = EXIT.driftFound;
  });
}

async function compare(output: Output, file: string, users: number): Promise<void> {
  const [{ checkSite, siteCheckText }, { withPrimary }] = await Promise.all([
    import('./init-check.ts'),
    import('../app/stores.ts'),
  ]);
  const found = await interruptible((signal) =>
    withPrimary((opened) => checkSite(opened, file, users, signal), signal),
  );
  await output.result(found, siteCheckText(found));
  if (found.different > 0) output.exitCode = EXIT.driftFound;
}

/** What the views rely on, what a person must decide, and what they do not read. */
function sorted({ guesses }: Proposal) {
  return {
    guesses: guesses.filter(({ is }) => is === undefined),
    decisions: guesses.filter(({ is }) => is === 'open'),
    notUsed: guesses.filter(({ is }) => is === 'unused'),
  };
}

function reportText(proposal: Proposal, files: readonly string[]): string {
  const { database, server, leftOut, alterations } = proposal;
  const { guesses, decisions, notUsed } = sorted(proposal);
  const list = (title: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`\n${title}`, ...all.map((line) => `  ${line}`)];
  const withFound = ({ about, guess, found }: Guess) => `${about}: ${guess}${found === undefined ? '' : `; ${found}`}`;
  return [
    `${database} on ${server}. Nothing in it was changed.`,
    ...list('Assumed (why: in the files):', guesses.map(withFound)),
    ...list(
      'To be checked by somebody who knows the site:',
      checksOf([...guesses, ...notUsed]).map((check) => `${aboutOf(check)}: ${check.check}`),
    ),
    ...list('Looks as if it mattered, and is not used:', notUsed.map(withFound)),
    ...list(
      'Not found, or not seen by capture and triggers:',
      leftOut.map(({ about, guess, why, check }) => `${about}: ${guess}: ${why}.${check ? ` ${check}` : ''}`),
    ),
    ...list(
      'To be decided (TODO in the files, which do not run before):',
      decisions.map((decision) => `${withFound(decision)}. ${decision.check}`),
    ),
    `\nWritten: ${files.join(', ')}`,
    `Next: edit them; run indexes.sql (${alterations.length} changes) and views.sql in the database; \`recency migrate --views-only\`; \`recency doctor\`.`,
  ].join('\n');
}
