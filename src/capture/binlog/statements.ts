/**
 * Statements in the binary log. Changes of rows are row events there, so most statements concern nobody; these do:
 * - what changes or removes rows without row events: TRUNCATE, DROP, RENAME, partitions
 * - what changes what rows mean: ALTER of a mapped table, a new text of a view that is read
 * - a change of rows that a session with another binlog_format logged as its statement
 */

export interface WatchedNames {
  /** Schema and table: is it mapped? */
  readonly isWatched: (schema: string, name: string) => boolean;
  /** Is the schema of a mapped table. */
  readonly isWatchedSchema: (schema: string) => boolean;
}

export interface LoggedStatement {
  readonly schema: string;
  readonly text: string;
  /** Rows name their own columns in the log (binlog_row_metadata = FULL), so an added column misleads nobody. */
  readonly isSelfDescribing: boolean;
}

const NAME = '(?:`(?:[^`]|``)+`|"[^"]+"|[\\p{L}\\p{N}_$]+)';
const QUALIFIED = new RegExp(`(${NAME})(?:\\s*\\.\\s*(${NAME}))?`, 'gu');
const DML = /^(?:INSERT|UPDATE|DELETE|REPLACE|LOAD)\b/i;
const DDL = /^(?:ALTER|TRUNCATE|DROP|RENAME|CREATE|IMPORT)\b/i;
const OF_SCHEMA = new RegExp(`^DROP\\s+(?:DATABASE|SCHEMA)\\s+(?:IF\\s+EXISTS\\s+)?(${NAME})`, 'iu');
const MAKES_INDEX = /^(?:CREATE|DROP)\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+|FULLTEXT\s+|SPATIAL\s+)?INDEX\b/i;
const HARMLESS_CREATE =
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:AGGREGATE\s+)?(?:TRIGGER|PROCEDURE|FUNCTION|EVENT|USER|ROLE|TEMPORARY)\b/i;
/** Without OR REPLACE it leaves a table that exists as it is. */
const CREATES_TABLE = /^CREATE\s+TABLE\b/i;
const HARMLESS_DROP = /^DROP\s+(?:TRIGGER|PROCEDURE|FUNCTION|EVENT|USER|ROLE|TEMPORARY)\b/i;
const ALTER_TABLE = new RegExp(
  `^ALTER\\s+(?:ONLINE\\s+|IGNORE\\s+)*TABLE\\s+(?:IF\\s+EXISTS\\s+)?${NAME}(?:\\s*\\.\\s*${NAME})?\\s*`,
  'iu',
);

/** Clauses of ALTER TABLE that change neither rows nor columns. */
const INDEX_CLAUSE =
  /^(?:(?:ADD|DROP|RENAME|ALTER)\s+(?:UNIQUE\s+|FULLTEXT\s+|SPATIAL\s+)*(?:INDEX|KEY)\b|ADD\s+UNIQUE\b)/i;
const TABLE_OPTION = /^(?:ALGORITHM|LOCK|COMMENT|AUTO_INCREMENT|STATS_\w+|NOWAIT|WAIT)\b/i;
/** Harmless where each row event names its columns: no view reads a column that did not exist. */
const ADDS_COLUMN = /^ADD\s+(?:COLUMN\s+)?(?!PARTITION|CONSTRAINT|PRIMARY|FOREIGN|CHECK|PERIOD|SYSTEM)/i;

/** @returns what the statement does, for people; undefined: it concerns no mapped table */
export function concernOf(statement: LoggedStatement, watched: WatchedNames): string | undefined {
  const text = withoutComments(statement.text);
  if (!DML.test(text) && !DDL.test(text)) return undefined;
  if ([HARMLESS_CREATE, HARMLESS_DROP, MAKES_INDEX, CREATES_TABLE].some((harmless) => harmless.test(text)))
    return undefined;
  const [, dropped] = OF_SCHEMA.exec(text) ?? [];
  if (dropped !== undefined) return watched.isWatchedSchema(unquoted(dropped)) ? shortened(text) : undefined;
  if (!namesWatched(text, statement.schema, watched)) return undefined;
  if (ALTER_TABLE.test(text) && isHarmlessAlter(text, statement.isSelfDescribing)) return undefined;
  return shortened(text);
}

/** Any name in the text: a column that is called like a mapped table costs an epoch, a table that is missed costs more. */
function namesWatched(text: string, here: string, { isWatched }: WatchedNames): boolean {
  for (const [, first = '', second] of text.matchAll(QUALIFIED)) {
    const [schema, name] = second === undefined ? [here, unquoted(first)] : [unquoted(first), unquoted(second)];
    if (isWatched(schema, name)) return true;
  }
  return false;
}

function isHarmlessAlter(text: string, isSelfDescribing: boolean): boolean {
  const clauses = clausesOf(text.replace(ALTER_TABLE, ''));
  return clauses.every(
    (clause) =>
      INDEX_CLAUSE.test(clause) || TABLE_OPTION.test(clause) || (isSelfDescribing && ADDS_COLUMN.test(clause)),
  );
}

/** Cut at the commas outside of parentheses and quotes. */
function clausesOf(text: string): string[] {
  const clauses = [''];
  let depth = 0;
  for (const [part] of text.matchAll(/'(?:[^'\\]|\\[\s\S]|'')*'|`[^`]*`|"[^"]*"|[\s\S]/g)) {
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (part === ',' && depth === 0) clauses.push('');
    else clauses[clauses.length - 1] += part;
  }
  return clauses.map((clause) => clause.trim()).filter((clause) => clause !== '');
}

/** The text of `/*!…` is part of the statement. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*(?!M?!)[\s\S]*?\*\//g, ' ')
    .replaceAll(/\/\*M?!\d*|\*\//g, ' ')
    .replaceAll(/(?:--\s|#)[^\n]*/g, ' ')
    .trim();
}

function unquoted(name: string): string {
  return /^[`"]/.test(name) ? name.slice(1, -1).replaceAll('``', '`') : name;
}

const LONGEST = 200;

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  // Values of rows are nobody's business in a log.
  if (DML.test(line)) return `${line.split(' ').slice(0, 3).join(' ')} …, logged as a statement`;
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
