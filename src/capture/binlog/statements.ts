/**
 * Statements in the binary log. Changes of rows are row events there, so a statement says nothing about rows only if it is known
 * to be harmless. That is, besides the control of transactions (log-reader.ts):
 * - DDL in whose text no mapped table, no view that is read and none of what these are made of is mentioned (mentions.ts);
 * - a few forms that change neither rows nor what they mean, whatever they name: indexes, triggers, accounts.
 *
 * Everything else is a gap, whichever table it names: a session that logs statements changes rows through triggers, functions and
 * views of other names. A form counts only if its whole text fits.
 */
import { UNREADABLE } from './log-event.ts';
import { mentions } from './mentions.ts';

/** A word, or another part, of a statement. */
interface StatementToken {
  /** A word is a keyword or a name; a string may be a name, too (ANSI_QUOTES). */
  readonly is: 'word' | 'name' | 'string' | 'other';
  /** Without its quotes. */
  readonly text: string;
}

/** Every character from U+0080 on may be part of a name: https://dev.mysql.com/doc/refman/8.4/en/identifiers.html */
const WORD = '[\\w$\\u{80}-\\u{10ffff}]+';

const tokenPattern = (inString: string) =>
  new RegExp(
    [
      String.raw`(?<begin>\/\*M?!\d*)|(?<end>\*\/)`,
      String.raw`(?<comment>\/\*[\s\S]*?(?:\*\/|$)|--(?=\s|$)[^\n]*|#[^\n]*)`,
      '(?<name>`(?:[^`]|``)*(?:`|$))',
      `(?<string>'(?:[^'${inString}|'')*(?:'|$)|"(?:[^"${inString}|"")*(?:"|$))`,
      `(?<word>${WORD})|(?<other>\\S)`,
    ].join('|'),
    'giu',
  );

/** A backslash escapes what follows it, or is a character like others (NO_BACKSLASH_ESCAPES). */
const WITH_ESCAPES = tokenPattern(String.raw`\\]|\\[\s\S]`);
const WITHOUT_ESCAPES = tokenPattern(']');

/**
 * What a statement may be: with what its executable comments hold and without it, since the server and its version decide, and with
 * escapes in its strings or without them, since the session decides.
 */
function readingsOf(text: string): StatementToken[][] {
  const texts = [...new Set([text, ...COMMENTS.map((comments) => text.replaceAll(comments, ' '))])];
  const patterns = text.includes('\\') ? [WITH_ESCAPES, WITHOUT_ESCAPES] : [WITH_ESCAPES];
  return texts.flatMap((one) => patterns.map((pattern) => tokensOf(one, pattern)));
}

/** Executable comments as a server passes over them, which may take one comment within for a part of it. Quotes mean nothing there. */
const COMMENTS = [/\/\*M?![\s\S]*?\*\//gi, /\/\*M?!(?:(?!\*\/|\/\*)[\s\S]|\/\*[\s\S]*?\*\/)*\*\//gi];

/** With what executable comments hold. */
function tokensOf(text: string, pattern: RegExp): StatementToken[] {
  const tokens: StatementToken[] = [];
  let depth = 0;
  for (const { 0: found, groups = {} } of text.matchAll(pattern)) {
    if (groups.comment !== undefined) continue;
    if (groups.begin !== undefined) depth += 1;
    else if (groups.end !== undefined && depth > 0) depth -= 1;
    else tokens.push(tokenOf(found, groups));
  }
  return tokens;
}

function tokenOf(found: string, { name, string, word }: Readonly<Record<string, string | undefined>>): StatementToken {
  if (name !== undefined) return { is: 'name', text: found.slice(1, -1).replaceAll('``', '`') };
  if (string !== undefined) return { is: 'string', text: found.slice(1, -1) };
  return word === undefined ? { is: 'other', text: found } : { is: 'word', text: found };
}

/** The statement with one space between two tokens. A name in quotes is `` ` `` there, and a string `'`: no keyword hides in them. */
export function textOf(tokens: readonly StatementToken[]): string {
  return tokens.map(({ is, text }) => ({ name: '`', string: "'", word: text, other: text })[is]).join(' ');
}

/** What must not change without being noticed. */
export interface WatchedNames {
  /** In which the others are. */
  readonly schemas: readonly string[];
  /** Of tables, views and routines. */
  readonly names: readonly string[];
  /** Those that are of functions and procedures. */
  readonly routines: readonly string[];
}

interface LoggedStatement {
  readonly schema: string;
  readonly text: string;
  /** Rows name their own columns in the log (binlog_row_metadata = FULL), so an added column misleads nobody. */
  readonly isSelfDescribing: boolean;
}

/** @returns what the statement does, for people; undefined: it is known to be harmless */
export function concernOf(statement: LoggedStatement, watched: WatchedNames): string | undefined {
  // What cannot be read may be a mapped table's name.
  if (statement.text.includes(UNREADABLE)) return shortened(statement.text);
  // What is in executable comments may be executed or not.
  const isHarmless = readingsOf(statement.text).every((tokens) => isHarmlessReading(tokens, statement, watched));
  return isHarmless ? undefined : shortened(statement.text);
}

function isHarmlessReading(all: readonly StatementToken[], statement: LoggedStatement, watched: WatchedNames): boolean {
  const tokens = withoutSettings(all);
  if (tokens.length === 0) return true; // nothing is executed
  const text = textOf(tokens);
  if (HARMLESS.some((form) => form.test(text))) return true;
  if (ALTER_TABLE.test(text) && isHarmlessAlter(text, statement.isSelfDescribing)) return true;
  if (PROCEDURE.test(text)) return !mentions(statement.text, watched.routines);
  return DDL.test(text) && !SELECTS.test(text) && !mayConcern(text, statement, watched);
}

/** MariaDB: SET STATEMENT name = value, … FOR the statement. */
function withoutSettings(tokens: readonly StatementToken[]): readonly StatementToken[] {
  if (!/^SET STATEMENT /i.test(textOf(tokens.slice(0, 3)))) return tokens;
  const at = tokens.findIndex(({ is, text }) => is === 'word' && text.toUpperCase() === 'FOR');
  return at < 0 ? tokens : withoutSettings(tokens.slice(at + 1));
}

/** In texts of tokens: names and strings stand for themselves there, without what they hold. */
const NAME = `(?:${WORD}|\`)`;
const QUALIFIED = `${NAME}(?: \\. ${NAME})?`;
const NAMES = `${QUALIFIED}(?: , ${QUALIFIED})*`;
const INDEX = '(?:UNIQUE |FULLTEXT |SPATIAL |VECTOR )?(?:INDEX|KEY)';
const IF_EXISTS = '(?:IF EXISTS )?';
const IF_NOT_EXISTS = '(?:IF NOT EXISTS )?';
/** Whatever is in parentheses, and in those within, to three levels. */
const PARENTHESES = (() => {
  let inner = '\\( [^()]*\\)';
  for (let level = 0; level < 2; level++) inner = `\\( (?:[^()]|${inner})*\\)`;
  return inner;
})();
const INDEX_OPTION = `(?: USING (?:BTREE|HASH|RTREE)| COMMENT '| VISIBLE| INVISIBLE|(?: NOT)? IGNORED| KEY_BLOCK_SIZE(?: =)? \\d+| WITH PARSER ${NAME})`;
const ONLINE = '(?: (?:ALGORITHM|LOCK)(?: =)? [A-Z]+| WAIT \\d+| NOWAIT)';
const DEFINER = `(?:DEFINER = (?:CURRENT_USER(?: \\( \\))?|(?:'|${NAME})(?: @ (?:'|${NAME}))?) )?`;

const form = (...parts: string[]): RegExp => new RegExp(`^(?:${parts.join('|')})$`, 'iu');

/** Where a new table's rows come from: a query in one of its three forms. (VALUES is also said of partitions.) */
const ROWS = '(?: SELECT\\b| TABLE\\b| VALUES (?!LESS\\b|IN\\b))';

/** Harmless whatever they name. */
const HARMLESS: readonly RegExp[] = [
  // Accounts, and what the server reads again.
  /^(?:GRANT|REVOKE|FLUSH|SET PASSWORD|SET DEFAULT ROLE|(?:CREATE|ALTER|DROP|RENAME)(?: OR REPLACE)? (?:USER|ROLE)) /i,
  /^FLUSH$/i,
  // Statistics; OPTIMIZE copies the rows as they are.
  form(
    `(?:ANALYZE|OPTIMIZE) (?:NO_WRITE_TO_BINLOG |LOCAL )?TABLES? ${NAMES}(?: PERSISTENT FOR ALL)?(?: WAIT \\d+| NOWAIT)?`,
  ),
  // What they write later is in the log then.
  new RegExp(`^CREATE (?:OR REPLACE )?${DEFINER}(?:TRIGGER|EVENT) `, 'iu'),
  form(`DROP (?:TRIGGER|EVENT) ${IF_EXISTS}${QUALIFIED}`),
  form(
    `CREATE (?:OR REPLACE )?${INDEX} ${IF_NOT_EXISTS}${NAME}(?: USING [A-Z]+)? ON ${QUALIFIED} ${PARENTHESES}${INDEX_OPTION}*${ONLINE}*`,
    `DROP INDEX ${IF_EXISTS}${NAME} ON ${QUALIFIED}${ONLINE}*`,
  ),
  // A table that exists stays as it is; one of a session is in no log.
  new RegExp(`^CREATE (?:TEMPORARY )?TABLE (?!.*${ROWS})`, 'iu'),
  form(`DROP TEMPORARY TABLES? ${IF_EXISTS}${NAMES}`),
];

/** What a procedure writes later is in the log then; it matters only where a function of a view calls it. */
const PROCEDURE = new RegExp(`^(?:CREATE (?:OR REPLACE )?${DEFINER}|DROP )PROCEDURE `, 'iu');

const DDL = /^(?:ALTER|TRUNCATE|DROP|RENAME|CREATE|REPAIR)\b/i;

/** A statement that fills a table has row events instead; where its text is in the log, what it called is not. */
const SELECTS = new RegExp(`^CREATE (?:OR REPLACE )?(?:TEMPORARY )?TABLE .*${ROWS}`, 'iu');

const ALTER_TABLE = new RegExp(`^ALTER (?:ONLINE )?TABLE ${IF_EXISTS}${QUALIFIED}(?: WAIT \\d+| NOWAIT)? `, 'iu');

/** Clauses of ALTER TABLE that change neither rows nor columns. */
const HARMLESS_CLAUSE = form(
  `ADD ${INDEX} ?${IF_NOT_EXISTS}(?:${NAME} )?(?:USING [A-Z]+ )?${PARENTHESES}${INDEX_OPTION}*`,
  `ADD UNIQUE ${PARENTHESES}${INDEX_OPTION}*`,
  `DROP (?:INDEX|KEY) ${IF_EXISTS}${NAME}`,
  `RENAME (?:INDEX|KEY) ${NAME} TO ${NAME}`,
  `ALTER (?:INDEX|KEY) ${IF_EXISTS}${NAME} (?:VISIBLE|INVISIBLE|(?:NOT )?IGNORED)`,
  "(?:(?:ALGORITHM|LOCK)(?: =)? [A-Z]+|COMMENT(?: =)? '|AUTO_INCREMENT(?: =)? \\d+|STATS_[A-Z_]+(?: =)? (?:\\d+|DEFAULT)| )+",
);

const TYPE =
  'TINYINT|SMALLINT|MEDIUMINT|INT|INTEGER|BIGINT|DECIMAL|NUMERIC|FLOAT|DOUBLE|BIT|BOOL|BOOLEAN|DATE|TIME|DATETIME|TIMESTAMP|YEAR|' +
  'CHAR|VARCHAR|BINARY|VARBINARY|TINYTEXT|TEXT|MEDIUMTEXT|LONGTEXT|TINYBLOB|BLOB|MEDIUMBLOB|LONGBLOB|ENUM|SET|JSON|UUID';

const DEFAULT = `DEFAULT (?:(?:[-+] )?(?:'|[\\p{L}\\p{N}_]+(?: (?:\\. \\d+|'|${PARENTHESES}))?)|${PARENTHESES})`;

const ATTRIBUTE = [
  '(?:UN)?SIGNED|ZEROFILL|(?:NOT )?NULL|(?:IN)?VISIBLE|VIRTUAL|STORED|PERSISTENT|UNIQUE(?: KEY)?|FIRST',
  `${DEFAULT}|ON UPDATE [A-Z_]+(?: ${PARENTHESES})?|COMMENT '|(?:CHARACTER SET|CHARSET|COLLATE) (?:'|[A-Z0-9_]+)`,
  `(?:GENERATED ALWAYS )?AS ${PARENTHESES}|AFTER ${NAME}`,
].join('|');

/**
 * Harmless where each row event names its columns: no view reads a column that did not exist. Nothing may come with it, such as a
 * foreign key, whose cascades nobody would see.
 */
const ADDS_COLUMN = form(
  `ADD (?:COLUMN )?${IF_NOT_EXISTS}${NAME} (?:${TYPE})(?: ${PARENTHESES})?(?: (?:${ATTRIBUTE}))*`,
);

function isHarmlessAlter(text: string, isSelfDescribing: boolean): boolean {
  return clausesOf(text.replace(ALTER_TABLE, '')).every(
    (clause) => HARMLESS_CLAUSE.test(clause) || (isSelfDescribing && ADDS_COLUMN.test(clause)),
  );
}

/** Cut at the commas outside of parentheses. */
function clausesOf(text: string): string[] {
  const clauses = [''];
  let depth = 0;
  for (const part of text.split(' ')) {
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (part === ',' && depth === 0) clauses.push('');
    else clauses[clauses.length - 1] += `${part} `;
  }
  return clauses.map((clause) => clause.trim());
}

/**
 * A mention anywhere in the text counts, in a string or a comment too, qualified or not, however it is quoted: one that only looks
 * like a mapped table costs an epoch, one that is missed costs more. A statement is harmless where it can mean no schema of theirs.
 * @param form of the statement, as {@link textOf} makes it
 */
function mayConcern(form: string, { schema, text }: LoggedStatement, { schemas, names }: WatchedNames): boolean {
  const isSchemaNamed = mentions(text, schemas);
  if (OF_SCHEMA.test(form)) return isSchemaNamed;
  return (isSchemaNamed || mentions(schema, schemas)) && mentions(text, names);
}

const OF_SCHEMA = /^(?:DROP|CREATE OR REPLACE) (?:DATABASE|SCHEMA) /i;

const LONGEST = 200;

/** Values of rows are nobody's business in a log: only DDL is shown whole. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (!/^(?:ALTER|TRUNCATE|DROP|RENAME|CREATE|REPAIR|IMPORT)\b/i.test(line)) {
    return `${line.split(' ').slice(0, 3).join(' ')} …, logged as a statement`;
  }
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
