/** Questions about an inspected table. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspect-schema.ts';

/** What names of tables and columns say. They are compared as lower-case words: `post-user` and `postUser` are [post, user]. */

export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The name in one form: `post-user` and `postUser` are `post_user`. */
export function plainName(name: string): string {
  return wordsOf(name).join('_');
}

/** `statuses` → `status`, `replies` → `reply`, `profiles` → `profile`. */
export function singular(word: string): string {
  if (/(ss|us|is)$/.test(word)) return word;
  if (/(ss|us|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

/** The name in one form, its last word in the singular: `user_filters` → `user_filter`. */
export function singularName(name: string): string {
  const words = wordsOf(name);
  return [...words.slice(0, -1), singular(words.at(-1) ?? '')].join('_');
}

/** What a table has rows of: `wp_users` → `user`, where every name begins with `wp_`. */
export function nounOf({ prefix }: InspectedSchema, { name }: InspectedTable): string {
  return singularName(name.slice(prefix.length));
}

/**
 * What an id column says that it identifies: `target_account_id` → `target_account`, `uid` → `user`, `guid_one` → `one`;
 * undefined: it is no id.
 */
export function stemOf(column: string): string | undefined {
  const name = plainName(column);
  if (name === 'uid') return 'user';
  if (name === 'cid') return 'contact';
  if (/^(created|uploaded|posted)_by$/.test(name)) return 'author';
  return /^(.+)_(?:uu?|gu)?id$/.exec(name)?.[1] ?? /^(?:gu)?id_(.+)$/.exec(name)?.[1];
}

/** People are kept in tables of these names; the first is the likeliest. */
export const PEOPLE = ['user', 'account', 'profile', 'member', 'person', 'people', 'author'];

const INTEGER = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const TEXT = new Set(['char', 'varchar', 'enum', 'tinytext', 'text', 'mediumtext', 'longtext']);

export const isInteger = ({ type }: InspectedColumn): boolean => INTEGER.has(type);
export const isText = ({ type }: InspectedColumn): boolean => TEXT.has(type);
export const isTime = ({ type }: InspectedColumn): boolean => type === 'datetime' || type === 'timestamp';

/** The values that an ENUM may have; of another type, undefined. */
export function enumValues({ type, fullType }: InspectedColumn): string[] | undefined {
  if (type !== 'enum') return undefined;
  return [...fullType.matchAll(/'((?:[^']|'')*)'/g)].map(([, one = '']) => one.replaceAll("''", "'"));
}

/** The columns whose plain name matches. */
export function columnsLike({ columns }: InspectedTable, pattern: RegExp): InspectedColumn[] {
  return columns.filter(({ name }) => pattern.test(plainName(name)));
}

/** The first column whose plain name is the first of these that exists. */
export function columnNamed(table: InspectedTable, names: readonly string[]): InspectedColumn | undefined {
  const found = names.map((name) => table.columns.find((column) => plainName(column.name) === name));
  return found.find((column) => column !== undefined);
}

/** The primary key, if it is one whole number. */
export function integerKey(table: InspectedTable): InspectedColumn | undefined {
  const primary = table.keys.find(({ name }) => name === 'PRIMARY');
  const [name, ...more] = primary?.columns ?? [];
  const column = table.columns.find((one) => one.name === name);
  return more.length === 0 && column !== undefined && isInteger(column) ? column : undefined;
}

/** Does an index begin with these columns, in this order? @param fixed may stand among them, because a constant is known for it */
export function hasKeyOn({ keys }: InspectedTable, columns: readonly string[], fixed: readonly string[] = []): boolean {
  return keys.some((key) => {
    const sought = key.columns.filter((column) => !fixed.includes(column));
    return columns.every((column, place) => sought[place] === column);
  });
}

/** Is at most one row found by these columns? */
export function isUniqueBy({ keys }: InspectedTable, columns: readonly string[]): boolean {
  return keys.some((key) => key.isUnique && key.columns.every((column) => columns.includes(column)));
}

export function tableNamed({ tables }: InspectedSchema, name: string): InspectedTable | undefined {
  return tables.find((table) => table.name === name);
}

/**
 * The table that an id column points into: by its foreign key, otherwise by its name, whose last word may be that of a
 * table (`target_account_id`: `accounts`).
 */
export function tableOfId(schema: InspectedSchema, table: InspectedTable, column: string): InspectedTable | undefined {
  const reference = table.references.find((one) => one.column === column);
  if (reference !== undefined) return tableNamed(schema, reference.table);
  const stem = stemOf(column);
  if (stem === undefined) return undefined;
  const last = singular(stem.split('_').at(-1) ?? '');
  const called = (name: string) => schema.tables.find((one) => nounOf(schema, one) === name && integerKey(one));
  return called(singular(stem)) ?? called(last) ?? onlyTableOfGuids(schema, column);
}

/** `guid_one`: where one table alone has a guid as its key, it is of that. */
function onlyTableOfGuids({ tables }: InspectedSchema, column: string): InspectedTable | undefined {
  if (!wordsOf(column).includes('guid')) return undefined;
  const [only, ...more] = tables.filter((table) => plainName(integerKey(table)?.name ?? '') === 'guid');
  return more.length === 0 ? only : undefined;
}

/** A table of people: by its name, with a whole number as its key. */
export function isOfPeople(schema: InspectedSchema, table: InspectedTable): boolean {
  return PEOPLE.includes(nounOf(schema, table)) && integerKey(table) !== undefined;
}

/** Tables with one of these words in their names are about something else than people and their photos. */
const OTHER_WORDS =
  /^(request|invite|invitation|tag|hashtag|block|mute|filter|suggestion|recommendation|import|log|list|pin|note|event|group|stat|count|message|notification|backfill|topic|form)$/;

/** Tables whose names have one of these words, the likeliest first: by the word, then the shortest name, then the size. */
export function byWords({ tables, prefix }: InspectedSchema, wanted: readonly string[]): InspectedTable[] {
  const rank = ({ name }: InspectedTable) => {
    const words = wordsOf(name.slice(prefix.length)).map(singular);
    if (words.some((word) => OTHER_WORDS.test(word))) return Number.POSITIVE_INFINITY;
    const place = wanted.findIndex((word) => words.includes(word));
    return place === -1 ? Number.POSITIVE_INFINITY : place + 100 * (words.length - 1);
  };
  return tables
    .filter((table) => Number.isFinite(rank(table)))
    .sort((a, b) => rank(a) - rank(b) || b.rows - a.rows || (a.name < b.name ? -1 : 1));
}
