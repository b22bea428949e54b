/** Columns that say whether a row counts: soft deletes, suspensions, requests that were not accepted yet. */
import {
  type InspectedColumn,
  type InspectedReference,
  type InspectedTable,
  literal,
  quoted,
} from '../mysql/inspect-schema.ts';
import { type FlagPattern, flagPattern, type RowKind } from './flag-patterns.ts';
import { type Guess, type Rule, TODO, UNSEEN } from './guess.ts';
import { foundIn, type Samples, valuesOf } from './samples.ts';
import { columnNamed, isInteger, isText, isTime, plainName, wordsOf } from './tables.ts';

/** Numbers and names whose meaning no schema tells, as widely used applications give it. */

export interface Meanings {
  /** By the value in the column, as text: what it means. */
  readonly of: ReadonlyMap<string, string>;
  readonly why: string;
}

/** What the numbers of a column mean, when its comment says so: `0=public, 1=private, 2=unlisted`. */
export function meaningsInComment({ comment }: InspectedColumn): Meanings | undefined {
  const found = [...comment.matchAll(/(\d+)\s*[=:]\s*([\p{L}_-]+)/gu)];
  if (found.length < 2) return undefined;
  return { of: new Map(found.map(([, value = '', word = '']) => [value, word])), why: `its comment: ${comment}` };
}

const VISIBILITIES = ['public', 'unlisted', 'private', 'direct', 'limited'];

/** The numbers of `visibility` where posts can be boosted, as in Mastodon. */
export function visibilityNumbers(table: InspectedTable, column: InspectedColumn): Meanings | undefined {
  const isOfMastodon = plainName(column.name) === 'visibility' && columnNamed(table, ['reblog_of_id']) !== undefined;
  if (!isOfMastodon) return undefined;
  return {
    of: new Map(VISIBILITIES.map((word, number) => [String(number), word])),
    why: 'a number called visibility beside reblog_of_id: the numbers of Mastodon, 0 public to 4 limited',
  };
}

/** The kinds of relation in a table of contacts with rows of the user's own, as in Friendica: who shares with the user. */
function sharingNumbers(table: InspectedTable, column: InspectedColumn): readonly string[] | undefined {
  return plainName(column.name) === 'rel' && columnNamed(table, ['self']) !== undefined ? ['2', '3'] : undefined;
}

/** Posts, not what answers or likes them, as in Friendica. */
function isGravity({ name }: InspectedColumn): boolean {
  return plainName(name) === 'gravity';
}

interface RowColumns {
  readonly kind: RowKind;
  /** Of the columns, as in `c.` */
  readonly prefix: string;
  readonly samples: Samples;
  /** Columns that the views read for something else, and what they are called there. */
  readonly read: readonly string[];
}

/** The rules in the columns of a row: what is known, what a person must decide, and what looks like a rule and is not read. */
export function flagRules(table: InspectedTable, row: RowColumns): Rule[] {
  return table.columns
    .filter(({ name }) => !row.read.includes(name))
    .flatMap((column) => {
      const pattern = flagPattern(row.kind, column.name);
      return (
        (pattern && (clearedRule(table, column, pattern, row) ?? flagRule(table, column, pattern, row))) ??
        numberRule(table, column, row) ??
        stateRule(table, column, row) ??
        unusedColumn(table, column, row) ??
        []
      );
    });
}

/**
 * A foreign key makes the column NULL when what it refers to is deleted: then NULL does not say that the row has always
 * counted, and nobody is told of the change. Another column that says the same, such as Mastodon's `reply`, stays as it is.
 */
function clearedRule(
  table: InspectedTable,
  column: InspectedColumn,
  { must, meaning }: FlagPattern,
  { kind, samples }: RowColumns,
): Rule | undefined {
  const key = clearingKey(table, column);
  if (key === undefined) return undefined;
  const about = { about: `${table.name}.${column.name}`, found: foundIn(table, column, samples) };
  const why = `its foreign key makes it NULL when the row of ${key.table} is deleted, ${UNSEEN}`;
  const other = table.columns.find(
    (one) => flagPattern(kind, one.name)?.meaning === meaning && clearingKey(table, one) === undefined,
  );
  if (other !== undefined) return { guess: { ...about, guess: `not used, ${other.name} is`, why, is: 'unused' } };
  const check =
    `Which column still says it when the row of ${key.table} is gone? Write its condition instead of ${TODO}, ` +
    'and name it in columns of mapping.yaml. If there is none, make the key RESTRICT; if all rows count, remove the line.';
  return { condition: TODO, guess: { ...about, guess: `should ${must}: ${meaning}`, why, check, is: 'open' } };
}

function clearingKey({ references }: InspectedTable, { name }: InspectedColumn): InspectedReference | undefined {
  return references.find(({ column, clears }) => column === name && clears);
}

function flagRule(
  table: InspectedTable,
  column: InspectedColumn,
  pattern: FlagPattern,
  row: RowColumns,
): Rule | undefined {
  const { must, meaning } = pattern;
  const isOfTime = must === 'be NULL' || must === 'not be NULL';
  const yes = isText(column) && !isOfTime ? yesIn(valuesOf(table, column, row.samples)) : undefined;
  const isReference = /_id$/.test(plainName(column.name)) || isText(column);
  const isNumber = isInteger(column) || column.type === 'bit';
  if (isOfTime ? !(isTime(column) || isReference || isInteger(column)) : !isNumber && yes === undefined)
    return undefined;
  const name = `${row.prefix}${quoted(column.name)}`;
  const is = (value: string) => (column.isNullable ? `COALESCE(${name}, 0) = ${value}` : `${name} = ${value}`);
  const condition = {
    'be NULL': `${name} IS NULL`,
    'not be NULL': `${name} IS NOT NULL`,
    'be 0': yes === undefined ? is('0') : `NOT (${name} <=> ${literal(yes)})`,
    'be 1': yes === undefined ? is('1') : `${name} <=> ${literal(yes)}`,
  }[must];
  const guess = `must ${yes === undefined ? must : must.replace('1', yes).replace('be 0', `not be ${yes}`)}: ${meaning}`;
  const about = `${table.name}.${column.name}`;
  const found = foundIn(table, column, row.samples);
  const rule: Rule = { condition, guess: { about, guess, why: 'its name and type', found }, reads: column.name };
  return must === 'be NULL' ? { ...rule, isNull: true } : rule;
}

/** The one of two words that stands for true; undefined: they are no such words. */
function yesIn(values: readonly string[]): string | undefined {
  const isWord = values.every((value) => /^(yes|no|y|n|true|false|on|off|1|0)$/i.test(value));
  return isWord ? values.find((value) => /^(yes|y|true|on|1)$/i.test(value)) : undefined;
}

function numberRule(table: InspectedTable, column: InspectedColumn, row: RowColumns): Rule | undefined {
  const { kind, prefix, samples } = row;
  const name = `${prefix}${quoted(column.name)}`;
  const about = `${table.name}.${column.name}`;
  const found = foundIn(table, column, samples);
  const sharing = kind === 'relation' && isInteger(column) ? sharingNumbers(table, column) : undefined;
  if (sharing !== undefined) {
    const guess = 'must be 2 or 3: the contact shares with the user, as in Friendica (1: only follows the user)';
    return {
      condition: `${name} IN (${sharing.join(', ')})`,
      guess: { about, guess, why: 'rel beside self', found },
      reads: column.name,
    };
  }
  if (kind === 'photo' && isInteger(column) && isGravity(column)) {
    const guess = 'must be 0: a post, no comment and no like, as in Friendica';
    return { condition: `${name} = 0`, guess: { about, guess, why: 'its name', found }, reads: column.name };
  }
  return undefined;
}

const STATE = /(^|_)(status|state)$/;
const PRIVACY = /(^|_)(visibility|privacy|audience|scope|access|access_id)$/;

/** A column of one of several states, whose values only the site explains. */
export function isStateColumn(column: InspectedColumn): boolean {
  const name = plainName(column.name);
  return (isInteger(column) || isText(column)) && (STATE.test(name) || PRIVACY.test(name));
}

const GOOD = /^(accepted|approved|active|confirmed|following|followed|friends?|normal|ok|enabled|published|live)$/;
const BAD =
  /^(suspended|suspend|banned|ban|disabled|deleted|delete|deactivated|blocked|spam|inactive|removed|closed|pending|requested|rejected|declined|ignored|draft|hidden|archived)$/;

/** Which states a row may have: those whose words say so. Where other words or numbers occur, a person must decide. */
function stateRule(table: InspectedTable, column: InspectedColumn, row: RowColumns): Rule | undefined {
  // Who may see a photo is its audience (audiences.ts): a second column of it is only listed.
  if (!isStateColumn(column) || (row.kind === 'photo' && PRIVACY.test(plainName(column.name)))) return undefined;
  const words = isText(column)
    ? new Map(valuesOf(table, column, row.samples).map((value) => [value, value]))
    : (meaningsInComment(column)?.of ?? new Map<string, string>());
  const is = (pattern: RegExp) => [...words].flatMap(([value, word]) => (pattern.test(plainName(word)) ? [value] : []));
  const [good, bad] = [is(GOOD), is(BAD)];
  const name = `${row.prefix}${quoted(column.name)}`;
  const about: Pick<Guess, 'about' | 'found'> = {
    about: `${table.name}.${column.name}`,
    found: foundIn(table, column, row.samples),
  };
  const isKnown = words.size > 0 && good.length + bad.length === words.size;
  if (!isKnown) {
    const check = `Which values of ${column.name} count? Write them instead of ${TODO}, or remove the line if all do.`;
    const guess = { ...about, guess: 'says which rows count', why: 'its name', check, is: 'open' } as const;
    return { condition: `${name} IN (${TODO})`, guess, reads: column.name };
  }
  const value = (text: string) => (isText(column) ? literal(text) : text);
  const allowed = [
    good.length > 0 ? `${name} IN (${good.map(value).join(', ')})` : '',
    column.isNullable ? `${name} IS NULL` : '',
  ];
  const guess = `must be ${[...good, ...(column.isNullable ? ['NULL'] : [])].join(' or ')}, not ${bad.join(' or ') || 'anything else'}`;
  const check = `Does a row with any other ${column.name} not count?`;
  const condition = `(${allowed.filter((one) => one !== '').join(' OR ') || 'FALSE'})`;
  return { condition, guess: { ...about, guess, why: 'the words of its values', check }, reads: column.name };
}

/** Words of columns that may decide who is shown what. */
const SUSPECT =
  /^(access|activation|active|approved|archived?|audience|ban|banned|block|blocked|class|component|confirmed|deactivated|deleted?|disabled|drafts?|enabled|expires?|expiry|hidden|hide|kind|limited|locked?|model|moderated|mute|muted|nsfw|pending|privacy|private|public|published|rejected|removed|restricted|scheduled|scope|sensitive|silenced|spam|state|status|subtype|suspended|trashed|type|until|verified|visibility|visible)$/;

function unusedColumn(table: InspectedTable, column: InspectedColumn, { samples }: RowColumns): Rule | undefined {
  const words = wordsOf(column.name);
  if (!words.some((word) => SUSPECT.test(word)) || words.some((word) => /^(id|count|by)$/.test(word))) return undefined;
  const guess: Guess = {
    ...{ about: `${table.name}.${column.name}`, guess: 'not used', is: 'unused' },
    why: 'its name alone does not say what it does',
    found: foundIn(table, column, samples),
  };
  return { guess };
}
