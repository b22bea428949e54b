/**
 * What the text of a view, a function or a procedure names and calls.
 *
 * The server keeps a view's text in a form of its own: names in backquotes, calls of built-in functions without them,
 * no comments, `now()` for all its synonyms (MariaDB: `current_timestamp()`). A function's text is kept as it was
 * written.
 */

/** Also valid without parentheses in a text as written. */
const KEYWORDS = new Set([
  ...['current_timestamp', 'localtime', 'localtimestamp', 'current_date', 'current_time'],
  ...['utc_timestamp', 'utc_date', 'utc_time', 'current_user'],
]);

/** Functions whose results do not follow from arguments and tables. For `unix_timestamp()` see `isVolatile`. */
const VOLATILE = new Set([
  ...KEYWORDS,
  ...['now', 'sysdate', 'curdate', 'curtime', 'rand', 'random_bytes'],
  ...['uuid', 'uuid_short', 'uuid_v4', 'uuid_v7', 'sys_guid'],
  ...[
    'user',
    'session_user',
    'system_user',
    'current_role',
    'connection_id',
    'last_insert_id',
    'row_count',
    'found_rows',
  ],
  ...['get_lock', 'is_free_lock', 'is_used_lock', 'release_lock', 'release_all_locks', 'nextval', 'lastval'],
]);

/** The name of a view, perhaps of a table, or of a function. */
export interface SourceName {
  readonly kind: 'view' | 'function';
  /** Undefined: the schema of the text that contains the name. */
  readonly schema: string | undefined;
  readonly name: string;
  /** It certainly is one: if it is not found, this account may not see it. */
  readonly isCertain?: boolean;
  /** Any word of a routine may be the name of a table, in whatever form the server knows: it is one if there is such a table. */
  readonly isGuess?: boolean;
}

export interface Source {
  readonly text: string;
  /** As a person wrote it, not in the server's form. */
  readonly isAsWritten: boolean;
  readonly sqlMode: string;
}

interface Token {
  readonly kind: 'text' | 'quoted' | 'variable' | 'word' | 'sign';
  /** Of a word, in lower case; of a quoted name, without its quotes. */
  readonly text: string;
}

const STRING = String.raw`'(?:[^'\\]|\\[^]|'')*'`;
const STRING_WITHOUT_ESCAPES = `'(?:[^']|'')*'`;

function tokensOf({ text, sqlMode }: Pick<Source, 'text' | 'sqlMode'>): Token[] {
  const string = sqlMode.includes('NO_BACKSLASH_ESCAPES') ? STRING_WITHOUT_ESCAPES : STRING;
  const double = string.replaceAll("'", '"');
  const isName = sqlMode.includes('ANSI_QUOTES');
  const comment = String.raw`/\*(?!M?!)[^]*?\*/|--(?=\s|$)[^\n]*|#[^\n]*|\s+`;
  const pattern = new RegExp(
    `(?<text>${string}${isName ? '' : `|${double}`})|(?<quoted>\`(?:[^\`]|\`\`)*\`${isName ? `|${double}` : ''})|` +
      String.raw`${comment}|(?<variable>@@?[\w$.]*)|(?<word>[\w$\u{80}-\u{10ffff}]+)|(?<sign>[^])`,
    'gu',
  );
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }): Token[] => {
    const { quoted, word, variable, sign } = groups;
    if (quoted !== undefined) return [{ kind: 'quoted', text: quoted.slice(1, -1).replaceAll('``', '`') }];
    if (word !== undefined) return [{ kind: 'word', text: word.toLowerCase() }];
    if (variable !== undefined) return [{ kind: 'variable', text: variable }];
    if (sign !== undefined) return [{ kind: 'sign', text: sign }];
    return groups.text === undefined ? [] : [{ kind: 'text', text: groups.text }];
  });
}

/** The views, tables and functions that this text may name. */
export function namesIn(source: Source): SourceName[] {
  return callsIn(source).names;
}

/** The volatile calls in this text, and the views and functions that it may name. */
export function callsIn(source: Source): { calls: string[]; names: SourceName[] } {
  const tokens = tokensOf(source);
  const calls: string[] = [];
  const names: SourceName[] = [];
  const guesses: SourceName[] = [];
  for (const [place, token] of tokens.entries()) {
    const isQualified = isSign(tokens[place - 1], '.');
    const isCall = isSign(tokens[place + 1], '(');
    if (token.kind === 'variable') calls.push(token.text);
    else if (token.kind === 'word' && !isQualified && isVolatile(tokens, place)) calls.push(callText(token, isCall));
    else if (isCall && isFunctionName(token, source)) {
      names.push({ ...functionAt(tokens, place), isCertain: !source.isAsWritten && !namesColumns(tokens, place) });
    }
    if (source.isAsWritten && !isQualified) guesses.push(...tableAt(tokens, place));
    if (token.kind !== 'word' || isQualified) continue;
    if (token.text === 'call' && source.isAsWritten) names.push(procedureAfter(tokens, place));
    if (token.text.endsWith('join') || (token.text === 'from' && isOfQuery(tokens, place))) {
      names.push(...tablesAfter(tokens, place));
    }
  }
  return { calls, names: [...names, ...guesses.map((name) => ({ ...name, isGuess: true }))] };
}

function isVolatile(tokens: readonly Token[], place: number): boolean {
  const word = tokens[place]?.text ?? '';
  if (!isSign(tokens[place + 1], '(')) return KEYWORDS.has(word);
  if (word === 'unix_timestamp') return isSign(tokens[place + 2], ')'); // with an argument, it depends on that only
  return VOLATILE.has(word);
}

function callText({ text }: Token, isCall: boolean): string {
  return isCall ? `${text}()` : text;
}

/** In the text of a view only a quoted name can be a function; in a function's text quotes are optional. */
function isFunctionName({ kind }: Token, { isAsWritten }: Source): boolean {
  return kind === 'quoted' || (kind === 'word' && isAsWritten);
}

function functionAt(tokens: readonly Token[], place: number): SourceName {
  const schema = isSign(tokens[place - 1], '.') ? tokens[place - 2]?.text : undefined;
  return { kind: 'function', schema, name: tokens[place]?.text ?? '' };
}

/** Of a derived table `) d (a, b)`, or of a common table expression `d (a, b) AS (`. */
function namesColumns(tokens: readonly Token[], place: number): boolean {
  if (isSign(tokens[place - 1], ')')) return true;
  const close = tokens.findIndex((token, at) => at > place && isSign(token, ')'));
  return tokens[close + 1]?.text === 'as' && isSign(tokens[close + 2], '(');
}

function procedureAfter(tokens: readonly Token[], place: number): SourceName {
  return functionAt(tokens, isSign(tokens[place + 2], '.') ? place + 3 : place + 1);
}

/** Whether this FROM begins a query's tables, and is no part of `extract(year from x.y)` or `trim('a' from x.y)`. */
function isOfQuery(tokens: readonly Token[], place: number): boolean {
  let depth = 0;
  for (let at = place - 1; at >= 0; at--) {
    const token = tokens[at];
    depth += Number(isSign(token, ')')) - Number(isSign(token, '('));
    if (depth < 0 || isSign(token, ';')) return false;
    if (depth === 0 && token?.kind === 'word' && (token.text === 'select' || token.text === 'delete')) return true;
  }
  return false;
}

/** What comes after a query's tables. */
const AFTER_TABLES = new Set(
  'where group having window order limit union except intersect into do then end'.split(' '),
);

/** The tables and views after FROM or JOIN, up to the end of the list. A subquery has its own FROM. */
function tablesAfter(tokens: readonly Token[], place: number): SourceName[] {
  const names: SourceName[] = [];
  let [around, within] = [0, 0]; // open parentheses: around tables, and around whatever else
  let isTable = true;
  for (let at = place + 1; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    if (isTable && isSign(token, '(') && !QUERY.has(tokens[at + 1]?.text ?? '')) {
      around += 1;
      continue;
    }
    if (isTable) names.push(...tableAt(tokens, at));
    if (within === 0 && (isSign(token, ';') || (token.kind === 'word' && AFTER_TABLES.has(token.text)))) break;
    isTable = within === 0 && isSign(token, ',');
    if (isSign(token, '(')) within += 1;
    else if (isSign(token, ')') && within > 0) within -= 1;
    else if (isSign(token, ')') && around-- === 0) break;
  }
  return names;
}

const QUERY = new Set(['select', 'with', 'values', 'table']);

function tableAt(tokens: readonly Token[], at: number): SourceName[] {
  const [first, dot, second] = tokens.slice(at, at + 3);
  if (first === undefined || !isName(first)) return [];
  const isQualified = isSign(dot, '.') && second !== undefined && isName(second);
  return [{ kind: 'view', schema: isQualified ? first.text : undefined, name: isQualified ? second.text : first.text }];
}

const isName = ({ kind }: Token) => kind === 'quoted' || kind === 'word';
const isSign = (token: Token | undefined, text: string) => token?.kind === 'sign' && token.text === text;
