/** Columns that say whether a row counts: soft deletes, suspensions, requests that were not accepted yet. */
import type { InspectedColumn, InspectedTable } from '../mysql/inspected-schema.ts';
import { literal, quoted } from '../mysql/quoted.ts';
import { isGravity, sharingNumbers } from './conventions.ts';
import type { Rule } from './guess.ts';
import { plainName } from './names.ts';
import type { Samples } from './samples.ts';
import { enumValues, isInteger, isText, isTime } from './tables.ts';

/** What a row is about; the same name means different things. */
export type RowKind = 'relation' | 'person' | 'photo';

interface Pattern {
  readonly name: RegExp;
  readonly on: readonly RowKind[];
  /** What must hold for the row to count. */
  readonly must: 'be NULL' | 'not be NULL' | 'be 0' | 'be 1';
  readonly meaning: string;
}

const ANY: readonly RowKind[] = ['relation', 'person', 'photo'];

const PATTERNS: readonly Pattern[] = [
  { name: /^(deleted|removed|trashed)_(at|on)$/, on: ANY, must: 'be NULL', meaning: 'a soft delete' },
  { name: /^(is_)?(deleted|removed|trashed)$/, on: ANY, must: 'be 0', meaning: 'a soft delete' },
  {
    name: /^(suspended|banned|disabled|deactivated|blocked)_at$/,
    on: ['person'],
    must: 'be NULL',
    meaning: 'a suspended user',
  },
  {
    name: /^((is_)?(suspended|banned|disabled|deactivated|blocked)|account_(removed|expired))$/,
    on: ['person'],
    must: 'be 0',
    meaning: 'a suspended user',
  },
  { name: /^(is_)?(active|enabled)$/, on: ['person', 'relation'], must: 'be 1', meaning: 'whether it is in force' },
  {
    name: /^(is_)?(accepted|approved|confirmed)$/,
    on: ['relation'],
    must: 'be 1',
    meaning: 'a private account must accept',
  },
  {
    name: /^(accepted|approved|confirmed)_at$/,
    on: ['relation'],
    must: 'not be NULL',
    meaning: 'a private account must accept',
  },
  { name: /^(is_)?pending$/, on: ['relation'], must: 'be 0', meaning: 'a request that was not accepted yet' },
  {
    name: /^(is_)?(blocked|muted|ignored|readonly|archived?)$/,
    on: ['relation'],
    must: 'be 0',
    meaning: 'a block or mute of this contact',
  },
  { name: /^(is_)?self$/, on: ['relation'], must: 'be 0', meaning: 'the user as a contact of their own' },
  {
    name: /^(ended|unfollowed|unfriended)_at$/,
    on: ['relation'],
    must: 'be NULL',
    meaning: 'the relationship has ended',
  },
  { name: /^(is_)?(visible|published)$/, on: ['photo'], must: 'be 1', meaning: 'whether it is shown' },
  { name: /^(is_)?(hidden|draft)$/, on: ['photo'], must: 'be 0', meaning: 'whether it is shown' },
  {
    name: /^(in_)?reply_to(_(status|post|photo|item))?_id$|^in_reply_to$/,
    on: ['photo'],
    must: 'be NULL',
    meaning: 'an answer to something is no upload',
  },
  {
    name: /^(reblog|repost|boost|share|renote)(_of)?_id$/,
    on: ['photo'],
    must: 'be NULL',
    meaning: 'a boost of something is no upload',
  },
];

/** The rules in the columns of a row, as SQL with this prefix (`c.`). */
export function flagRules(table: InspectedTable, kind: RowKind, prefix: string, samples: Samples): Rule[] {
  return table.columns.flatMap((column) => {
    const pattern = PATTERNS.find(({ name, on }) => on.includes(kind) && name.test(plainName(column.name)));
    const rule =
      (pattern && flagRule(table, column, pattern, prefix)) ??
      numberRule(table, column, kind, prefix) ??
      statusRule(table, column, { kind, prefix, samples });
    return rule === undefined ? [] : [rule];
  });
}

function flagRule(table: InspectedTable, column: InspectedColumn, pattern: Pattern, prefix: string): Rule | undefined {
  const { must, meaning } = pattern;
  const isOfTime = must === 'be NULL' || must === 'not be NULL';
  const isReference = /_id$/.test(plainName(column.name)) || isText(column);
  if (isOfTime ? !(isTime(column) || isReference || isInteger(column)) : !isInteger(column) && column.type !== 'bit')
    return undefined;
  const name = `${prefix}${quoted(column.name)}`;
  const condition = {
    'be NULL': `${name} IS NULL`,
    'not be NULL': `${name} IS NOT NULL`,
    'be 0': column.isNullable ? `COALESCE(${name}, 0) = 0` : `${name} = 0`,
    'be 1': column.isNullable ? `COALESCE(${name}, 0) = 1` : `${name} = 1`,
  }[must];
  const guess = { about: `${table.name}.${column.name}`, guess: `must ${must}: ${meaning}`, why: 'its name and type' };
  return { condition, guess, reads: column.name };
}

function numberRule(table: InspectedTable, column: InspectedColumn, kind: RowKind, prefix: string): Rule | undefined {
  const name = `${prefix}${quoted(column.name)}`;
  const about = `${table.name}.${column.name}`;
  const sharing = kind === 'relation' && isInteger(column) ? sharingNumbers(table, column) : undefined;
  if (sharing !== undefined) {
    const guess = 'must be 2 or 3: the contact shares with the user, as in Friendica (1: only follows the user)';
    return {
      condition: `${name} IN (${sharing.join(', ')})`,
      guess: { about, guess, why: 'rel beside self' },
      reads: column.name,
    };
  }
  if (kind === 'photo' && isInteger(column) && isGravity(column)) {
    const guess = 'must be 0: a post, no comment and no like, as in Friendica';
    return { condition: `${name} = 0`, guess: { about, guess, why: 'its name' }, reads: column.name };
  }
  return undefined;
}

const GOOD = /^(accepted|approved|active|confirmed|following|followed|friends?|normal|ok|enabled|published|live)$/;
const BAD =
  /^(suspended|suspend|banned|ban|disabled|deleted|delete|deactivated|blocked|spam|inactive|removed|closed|pending|requested|rejected|declined|ignored|draft|hidden|archived)$/;

interface Status {
  readonly kind: RowKind;
  readonly prefix: string;
  readonly samples: Samples;
}

/** A text that says what has become of a row: the values that end it must not be there. */
function statusRule(
  table: InspectedTable,
  column: InspectedColumn,
  { kind, prefix, samples }: Status,
): Rule | undefined {
  if (!isText(column) || !/^((account|profile|user|follow|friendship)_)?(status|state)$/.test(plainName(column.name)))
    return undefined;
  const listed = enumValues(column);
  const sample = listed === undefined ? samples.of(table.name, column.name) : undefined;
  const values = listed ?? sample?.values ?? [];
  const [good, bad] = [GOOD, BAD].map((pattern) => values.filter((value) => pattern.test(plainName(value))));
  const unknown = values.filter((value) => !good?.includes(value) && !bad?.includes(value));
  const name = `${prefix}${quoted(column.name)}`;
  const usual = kind === 'relation' ? ['pending', 'rejected'] : ['suspended', 'disabled', 'deleted', 'delete'];
  const refused = listed === undefined ? [...new Set([...(bad ?? []), ...usual])] : (bad ?? []);
  const about = `${table.name}.${column.name}`;
  const why = values.length === 0 ? 'its name; it has no values yet' : `its values: ${values.join(', ')}`;
  const doubt = unknown.length > 0 ? `Does a row with ${unknown.join(', ')} count? It does now.` : undefined;
  const check = values.length === 0 ? 'Which values end a row? These are only usual ones.' : doubt;
  if (refused.length === 0) return undefined;
  const list = refused.map(literal).join(', ');
  const condition = column.isNullable ? `COALESCE(${name}, '') NOT IN (${list})` : `${name} NOT IN (${list})`;
  return { condition, guess: { about, guess: `must not be ${refused.join(' or ')}`, why, check }, reads: column.name };
}
