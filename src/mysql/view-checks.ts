/** Checks of a site's views: the types of their columns, and the plans of the questions asked of them. */
import type { Kind } from '../contracts/kind.ts';
import { extraFix, isExtra, MOST_EXTRA } from '../site/extra-columns.ts';
import { type ColumnMeaning, OPTIONAL_TIMES, type ViewColumn, viewsOf } from '../site/kind-view.ts';
import type { ColumnValue } from '../site/row.ts';
import type { Site } from '../site/site.ts';
import type { Database } from './database.ts';
import { newestPhoto } from './statements/compared-pairs.ts';
import { type KindDatabase, readColumns } from './statements/kind-statements.ts';
import { uploadsFrom } from './statements/last-upload.ts';

/** A column of a view whose type is not what Recency expects. */
export interface ColumnProblem {
  /** `recency_contacts.last_upload_at` */
  readonly column: string;
  /** MySQL's name of it. */
  readonly type: string;
  /** It works nevertheless: fractions are cut off. Otherwise nothing can be relied on. */
  readonly works: boolean;
  /** What is wrong with it, after its type. */
  readonly fault: string;
  readonly fix: string;
}

const NO_INTEGER = 'which is not a whole number';

const INTEGER = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint']);
const FRACTIONAL = new Set(['decimal', 'float', 'double']);

/**
 * Columns of the views that should be whole numbers and are not, and columns that cannot be passed on.
 * @throws DatabaseUnavailable
 */
export async function findColumnProblems(database: Database, site: Site): Promise<ColumnProblem[]> {
  const views = viewsOf(site);
  const columns = await readColumns(database, [...views.keys()]);
  return [
    ...columns.flatMap((column) => typeProblem(column, views.get(column.view) ?? {})),
    ...columns.filter(({ name }) => isExtra(name)).flatMap(extraProblem),
    ...[...views.keys()].flatMap((view) => countProblem(columns.filter((column) => column.view === view))),
  ];
}

function typeProblem({ view, name, type }: ViewColumn, meanings: Readonly<Record<string, ColumnMeaning>>) {
  const meaning = OPTIONAL_TIMES.includes(name) ? 'time' : meanings[name];
  if (meaning === undefined || meaning === 'text' || INTEGER.has(type)) return [];
  const works = meaning === 'time' && FRACTIONAL.has(type);
  return [{ column: `${view}.${name}`, type, works, fault: NO_INTEGER, fix: fixOf(meaning, type, name) }];
}

function extraProblem(column: ViewColumn): ColumnProblem[] {
  const fix = extraFix(column);
  const { view, name, type, length } = column;
  const declared = length === null ? type : `${type}(${length})`;
  return fix === undefined
    ? []
    : [{ column: `${view}.${name}`, type: declared, works: false, fault: 'which answers cannot pass on', fix }];
}

function countProblem(columns: readonly ViewColumn[]): ColumnProblem[] {
  const extra = columns.filter(({ name }) => isExtra(name));
  const [first] = extra.slice(MOST_EXTRA);
  if (first === undefined) return [];
  const fault = `the ${MOST_EXTRA + 1}th of ${extra.length} columns extra_…`;
  const fix = `An answer passes on at most ${MOST_EXTRA} of a view: leave the others out.`;
  return [{ column: `${first.view}.${first.name}`, type: first.type, works: false, fault, fix }];
}

function fixOf(meaning: ColumnMeaning, type: string, name: string): string {
  if (meaning === 'flag')
    return `In the view, write \`(…) <> 0 AS ${name}\`, or another expression that is true or false.`;
  if (meaning !== 'time') return `In the view, select a column of an integer type as ${name}.`;
  if (FRACTIONAL.has(type)) return `In the view, write \`CAST(FLOOR(…) AS SIGNED) AS ${name}\`: whole milliseconds.`;
  const recipe =
    type === 'timestamp'
      ? `CAST(FLOOR(UNIX_TIMESTAMP(…) * 1000) AS SIGNED)`
      : `TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', …) DIV 1000`;
  return `In the view, write \`${recipe} AS ${name}\`: milliseconds since 1970 UTC. See the traps in docs/adopting.md.`;
}

/** A question that MySQL would answer by reading far more rows than it returns. */
interface PlanProblem {
  /** The question, for people. */
  readonly question: string;
  /** What MySQL would do. */
  readonly finding: string;
  readonly fix: string;
  /** Answers ask it; otherwise only checks of last uploads do. */
  readonly inAnswers: boolean;
}

interface PlannedQuestion {
  readonly about: string;
  readonly statement: string;
  /** The index that the answer needs. */
  readonly needs: string;
  /** It is asked for each row of another question. */
  readonly isNested?: boolean;
}

const MERGE =
  'Define the view with ALGORITHM=MERGE and without DISTINCT, GROUP BY, UNION, LIMIT, aggregates or subqueries in what it selects.';

const CORRELATED =
  'Write it as a LEFT JOIN by a unique key and `… IS NULL` or `… IS NOT NULL` in `related`: the row of the pair stays.';

/**
 * What Recency asks of a kind's views, reduced to what an index must serve. Only equalities: for a range, MySQL reports a
 * possible index even where it means to read the whole table.
 */
function questionsOf(kind: Kind, hasColumn: boolean): PlannedQuestion[] {
  const { name, view, idColumn, photosView, ownerColumn, areUsers } = kind;
  const lastUpload = hasColumn ? 'c.last_upload_at, ' : '';
  return [
    {
      about: `some ${name} of a user (${view} by user_id and ${idColumn})`,
      statement: `
      SELECT c.${idColumn}, c.related, ${lastUpload}c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN ${view} AS c ON c.user_id = 1 AND c.${idColumn} = wanted.id`,
      needs: `a unique index on (user_id, ${idColumn})`,
    },
    {
      about: `all ${name} of a user (${view} by user_id)`,
      statement: `SELECT c.${idColumn}, ${lastUpload}c.sees FROM ${view} AS c WHERE c.user_id = 1 AND c.related`,
      needs: 'an index that begins with user_id',
    },
    {
      about: `the followers of ${areUsers ? 'an uploader' : 'one'} (${view} by ${idColumn})`,
      statement: `SELECT c.user_id FROM ${view} AS c WHERE c.${idColumn} = 1`,
      needs: `an index on (${idColumn}, user_id, …)`,
    },
    {
      about: `the newest photos of ${areUsers ? 'an uploader' : 'one'} (${photosView} by ${ownerColumn} and audience)`,
      statement: `
      SELECT p.id FROM ${photosView} AS p
      WHERE p.${ownerColumn} = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10`,
      needs: `an index on (${ownerColumn}, audience, uploaded_at, id)`,
    },
    {
      // As last uploads are read. With a constant owner MySQL takes a joined row for a constant too, and does not sort.
      about: `the newest photo of each of several owners (${photosView} by ${ownerColumn} and audience)`,
      statement: `
      SELECT ${newestPhoto({ kind }, 'wanted.id', 0)}
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted`,
      needs: `${ownerColumn}, audience and uploaded_at as its own columns, not by a join, with an index on them and id`,
      isNested: true,
    },
  ];
}

/**
 * Do the views merge into the questions, and do the indexes exist that the answers need? By EXPLAIN, which reads
 * nothing. A table that MySQL reads whole because it is small is no problem, as long as there is an index.
 * @throws DatabaseUnavailable, and MySQL's own error when a view is missing or may not be explained
 */
export async function findPlanProblems(kinds: readonly KindDatabase[]): Promise<PlanProblem[]> {
  const problems: PlanProblem[] = [];
  for (const database of kinds) {
    const { server, statements } = database;
    const hasColumn = (await uploadsFrom(database)) === 'column';
    for (const question of questionsOf(statements.kind, hasColumn)) {
      const inAnswers = !(question.isNested && hasColumn);
      problems.push(...(await explain(server, question)).map((found) => ({ ...found, inAnswers })));
    }
  }
  return problems;
}

async function explain(
  database: Database,
  { about, statement, needs, isNested }: PlannedQuestion,
): Promise<Omit<PlanProblem, 'inAnswers'>[]> {
  const rows = await database.rows(`EXPLAIN FORMAT=TRADITIONAL ${statement}`, []);
  const steps = rows.map((columns) => stepOf(columns, isNested)).filter((step) => step.table !== 'wanted');
  const [correlated] = steps.filter((step) => step.isCorrelated);
  if (correlated !== undefined) {
    const finding = `a subquery of the view runs again for each row (${correlated.table})`;
    return [{ question: about, finding, fix: CORRELATED }];
  }
  if (steps.some((step) => step.isSeparate)) {
    return [{ question: about, finding: 'the view does not merge, so all of it is read every time', fix: MERGE }];
  }
  return steps.filter(readsTooMuch).map(({ table, isSorted }) => ({
    question: about,
    finding: isSorted
      ? `all matching rows are read and sorted (${table})`
      : `no index serves it: all of ${table} is read`,
    fix: `Give the table behind ${isNested ? 'the photos' : table} ${needs}.`,
  }));
}

interface PlanStep {
  readonly table: string;
  /** The view, or a part of it, is materialized first. */
  readonly isSeparate: boolean;
  /** A subquery that is not one of Recency's own. */
  readonly isCorrelated: boolean;
  readonly hasIndex: boolean;
  readonly readsAll: boolean;
  readonly isSorted: boolean;
}

/** Rows. A full scan of an index of a smaller table says nothing, although it may be the wrong index. */
const SMALL = 1_000;

/** id, select_type, table, (partitions,) type, possible_keys, key, key_len, ref, rows, (filtered,) Extra */
function stepOf(columns: readonly ColumnValue[], isNested = false): PlanStep {
  const offset = columns.length > 10 ? 1 : 0;
  const type = columns[3 + offset];
  const possibleKeys = columns[4 + offset] ?? null;
  const rows = Number(columns[8 + offset]);
  return {
    table: String(columns[2] ?? ''),
    isSeparate:
      !(isNested ? /SUBQUERY$/ : /^(SIMPLE|PRIMARY)$/).test(String(columns[1])) ||
      /^<(derived|union|subquery)/.test(String(columns[2])),
    isCorrelated: !isNested && /^DEPENDENT SUBQUERY$/.test(String(columns[1])),
    hasIndex: possibleKeys !== null && !(type === 'index' && rows > SMALL),
    readsAll: type === 'ALL' || type === 'index',
    isSorted: /filesort/.test(String(columns.at(-1))),
  };
}

function readsTooMuch({ hasIndex, readsAll, isSorted }: PlanStep): boolean {
  return readsAll ? !hasIndex : isSorted;
}
