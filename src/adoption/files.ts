/** The files that `recency init` writes, for people to edit. Nothing of it is sent to a server from here. */
import { aboutOf, checksOf, type Guess, type MappedTable, type ProposedView, type Rule, TODO } from './guess.ts';
import { guessesIn, type Proposal } from './propose.ts';

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

/** What the files say of each guess: what was found and why, and at the last guess that a question concerns, the question. */
class Remarks {
  readonly #asked;

  constructor(guesses: readonly Guess[]) {
    this.#asked = new Map(checksOf(guesses).map((check) => [check.of.at(-1), check]));
  }

  linesOf(guess: Guess): string[] {
    const { about, found, why, is } = guess;
    const asked = this.#asked.get(guess);
    const others = asked !== undefined && asked.of.length > 1 ? ` (${aboutOf(asked)})` : '';
    const mark = { open: `${TODO} `, unused: 'NOT USED ', assumed: '' }[is ?? 'assumed'];
    return [
      `${mark}${about}: ${guess.guess}${is === undefined ? '?' : '.'}`,
      ...(found === undefined ? [] : [`  Found: ${found}.`]),
      `  Why: ${why}.`,
      ...(asked === undefined ? [] : [`  CHECK${others}: ${asked.check}`]),
    ];
  }
}

const about = (guesses: readonly Guess[], tables: ReadonlySet<string>) =>
  guesses.filter((guess) => tables.has(guess.about.split('.')[0] ?? ''));

function indexesText({ database, server, alterations }: Proposal): string {
  const head = [
    `Columns and indexes that the views need, on ${database} (${server}). Read it, edit it, run it before views.sql.`,
    'Generated columns are VIRTUAL, so nothing is stored but the index, and INVISIBLE (MySQL from 8.0.23), so the site may go on',
    'writing rows without naming columns. No index is unique. On a large table, run each ALTER as the site runs its own.',
  ].join('\n');
  const tables = [...new Set(alterations.map(({ table }) => table))];
  const alters = tables.map((table) => {
    const own = alterations.filter((one) => one.table === table);
    const reasons = own.map(({ add, why }) => `${add.split(' ').slice(0, 2).join(' ')}: ${why}.`).join('\n');
    return `${comment('--', reasons)}\nALTER TABLE \`${table}\`\n  ${own.map(({ add }) => `ADD ${add}`).join(',\n  ')};`;
  });
  return `${comment('--', head)}\n\n${alters.length === 0 ? '-- Nothing is missing.' : alters.join('\n\n')}\n`;
}

function viewsText({ database, server, views, leftOut }: Proposal): string {
  const head = `The views that Recency reads, on ${database} (${server}). Read it, edit it, run it after indexes.sql, then \`recency doctor\`.`;
  const open = new Remarks(leftOut);
  return `${[
    comment('--', head),
    SQL_MODE,
    ...(leftOut.length === 0
      ? []
      : [comment('--', ['Not decided:', ...leftOut.flatMap((one) => open.linesOf(one))].join('\n'))]),
    ...views.map(viewText),
  ].join('\n\n')}\n`;
}

function viewText(view: ProposedView): string {
  const remarks = new Remarks(guessesIn(view));
  const { name, guesses, columns, from, joins, where } = view;
  const about = comment('--', guesses.flatMap((guess) => remarks.linesOf(guess)).join('\n'));
  const select = columns.map(([column, sql]) =>
    typeof sql === 'string' ? `  ${sql} AS ${column}` : `  (${rulesText(sql, remarks)}) AS ${column}`,
  );
  const conditions = where.length === 0 ? '' : `\nWHERE ${rulesText(where, remarks)}`;
  return `${about}\nCREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW ${name} AS\nSELECT\n${select.join(',\n')}\nFROM ${[from, ...joins].join('\n')}${conditions};`;
}

/** Conditions that must all hold, each below what is said of it. */
function rulesText(rules: readonly Rule[], remarks: Remarks): string {
  const lines = rules.flatMap(({ condition, guess }) => [
    ...comment('--', remarks.linesOf(guess).join('\n')).split('\n'),
    ...(condition === undefined ? [] : [`AND ${condition}`]),
  ]);
  return ['TRUE', ...lines].join('\n    ').concat('\n  ');
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

function yamlValue(value: string | null | undefined): string {
  return value === null ? 'null' : yamlText(value ?? '');
}

function entryText({ table, hint, user, contact, owner, when = {}, columns }: MappedTable): string {
  const ids = Object.entries({ user, contact, owner }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const conditions = Object.entries(when).map(
    ([column, values]) =>
      `${yamlText(column)}: ${values.length === 1 ? yamlValue(values[0]) : `[${values.map(yamlValue).join(', ')}]`}`,
  );
  return [
    `  - table: ${yamlText(table)}`,
    `    hint: ${hint}`,
    ...ids.map(([field, column]) => `    ${field}: ${yamlText(column)}`),
    ...(conditions.length === 0 ? [] : [`    when: { ${conditions.join(', ')} }`]),
    ...(columns.length === 0 ? [] : [`    columns: [${columns.map(yamlText).join(', ')}]`]),
  ].join('\n');
}
