/** The files that `recency init` writes, for people to edit. Nothing of it is sent to a server from here. */
import { aboutOf, checksOf, type Guess, type MappedTable, type ProposedView } from './guess.ts';
import type { Proposal } from './propose.ts';

/** Backslashes in texts, and quotes, mean the same whatever the server's setting is. */
const SQL_MODE = "SET SESSION sql_mode = '';";

/** By name: text. */
export function filesOf(proposal: Proposal): ReadonlyMap<string, string> {
  return new Map([
    ['indexes.sql', indexesText(proposal)],
    ['views.sql', viewsText(proposal)],
    ['mapping.yaml', mappingText(proposal)],
  ]);
}

function comment(mark: '--' | '#' | '  #', text: string): string {
  return text
    .split('\n')
    .map((line) => `${mark} ${line}`.trimEnd())
    .join('\n');
}

/** Each guess with why; a question that several depend on follows the last of them. */
function guessesText(guesses: readonly Guess[]): string {
  const last = new Map(checksOf(guesses).map((check) => [check.of.at(-1), check]));
  const text = (guess: Guess) => {
    const check = last.get(guess);
    const asked =
      check === undefined ? '' : `\n  CHECK${check.of.length > 1 ? ` (${aboutOf(check)})` : ''}: ${check.check}`;
    return `${guess.about}: ${guess.guess}.\n  Why: ${guess.why}.${asked}`;
  };
  return guesses.map(text).join('\n');
}

const about = (guesses: readonly Guess[], tables: ReadonlySet<string>) =>
  guesses.filter((guess) => tables.has(guess.about.split('.')[0] ?? ''));

function indexesText({ database, server, alterations }: Proposal): string {
  const head = [
    `Columns and indexes that the views need, on ${database} (${server}). Read it, edit it, run it before views.sql.`,
    'Generated columns are VIRTUAL: nothing is stored but the index. Where the site inserts rows without naming columns,',
    'add INVISIBLE after VIRTUAL (MariaDB; MySQL from 8.0.23). On a large table, run each ALTER as the site runs its own.',
  ].join('\n');
  const tables = [...new Set(alterations.map(({ table }) => table))];
  const alters = tables.map((table) => {
    const own = alterations.filter((one) => one.table === table);
    const reasons = own
      .map(
        ({ add, why }) =>
          `${add
            .split(' ')
            .slice(0, add.startsWith('UNIQUE') ? 3 : 2)
            .join(' ')}: ${why}.`,
      )
      .join('\n');
    return `${comment('--', reasons)}\nALTER TABLE \`${table}\`\n  ${own.map(({ add }) => `ADD ${add}`).join(',\n  ')};`;
  });
  return `${comment('--', head)}\n\n${alters.length === 0 ? '-- Nothing is missing.' : alters.join('\n\n')}\n`;
}

function viewsText({ database, server, views, guesses, leftOut }: Proposal): string {
  const head = `The views that Recency reads, on ${database} (${server}). Read it, edit it, run it after indexes.sql, then \`recency doctor\`.`;
  const open = guessesText(leftOut);
  return `${[
    comment('--', head),
    SQL_MODE,
    ...(open === '' ? [] : [comment('--', `Not decided:\n${open}`)]),
    ...views.map((view) => `${comment('--', guessesFor(view, views, guesses))}\n${viewText(view)}`),
  ].join('\n\n')}\n`;
}

/** What was guessed about the tables that only this view reads, or this one first. */
function guessesFor(view: ProposedView, views: readonly ProposedView[], guesses: readonly Guess[]): string {
  const photos = views.find(({ name }) => name === 'recency_photos');
  const isOfPhotos = (guess: Guess) => photos?.from.startsWith(`\`${guess.about.split('.')[0]}\``);
  const own = guesses.filter((guess) => isOfPhotos(guess) === (view === photos));
  return guessesText(own);
}

function viewText({ name, columns, from, joins, where }: ProposedView): string {
  const select = columns.map(([column, sql]) => `  ${sql} AS ${column}`).join(',\n');
  const conditions = where.length === 0 ? '' : `\nWHERE ${where.join('\n  AND ')}`;
  return `CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${name} AS\nSELECT\n${select}\nFROM ${[from, ...joins].join('\n')}${conditions};`;
}

function mappingText({ database, mapping, guesses }: Proposal): string {
  const head = `Which changes of ${database}'s tables concern whom, for \`recency capture\` and \`recency triggers\`. Read it, edit it.`;
  if (mapping.length === 0) return `${comment('#', head)}\n\n# No table was recognized.\n`;
  const entries = mapping.map((entry) => {
    const reasons = [
      entry.why,
      ...about(guesses, new Set([entry.table]))
        .flatMap(({ check }) => check ?? [])
        .map((check) => `CHECK: ${check}`),
    ];
    return `${comment('  #', [...new Set(reasons)].join('\n'))}\n${entryText(entry)}`;
  });
  return `${comment('#', head)}\n\nversion: 1\ntables:\n${entries.join('\n')}\n`;
}

/** In YAML: single quotes take everything as it is. */
function yamlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function entryText({ table, hint, user, contact, owner, when = {}, columns }: MappedTable): string {
  const ids = Object.entries({ user, contact, owner }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const conditions = Object.entries(when).map(
    ([column, values]) =>
      `${yamlText(column)}: ${values.length === 1 ? yamlText(values[0] ?? '') : `[${values.map(yamlText).join(', ')}]`}`,
  );
  return [
    `  - table: ${yamlText(table)}`,
    `    hint: ${hint}`,
    ...ids.map(([field, column]) => `    ${field}: ${yamlText(column)}`),
    ...(conditions.length === 0 ? [] : [`    when: { ${conditions.join(', ')} }`]),
    ...(columns.length === 0 ? [] : [`    columns: [${columns.map(yamlText).join(', ')}]`]),
  ].join('\n');
}
