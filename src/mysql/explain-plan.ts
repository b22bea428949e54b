import type { Database, Value } from './database.ts';

/** A question that MySQL would answer by reading far more than it asks for. */
export interface PlanProblem {
  /** The question, for people. */
  readonly question: string;
  /** What MySQL would do. */
  readonly finding: string;
  readonly mend: string;
}

interface Question {
  readonly about: string;
  readonly statement: string;
  /** The index that the answer needs. */
  readonly needs: string;
}

const MERGE =
  'Define the view with ALGORITHM=MERGE and without DISTINCT, GROUP BY, UNION, LIMIT, aggregates or subqueries in what it selects.';

/**
 * What Recency asks of the views, reduced to what must come from an index. Only equalities: of a range, MySQL would say that
 * some index might do, although it means to read all of it.
 */
const QUESTIONS: readonly Question[] = [
  {
    about: 'some contacts of a user (recency_contacts by user_id and contact_id)',
    statement: `
      SELECT c.contact_id, c.related, c.last_upload_at, c.sees
      FROM JSON_TABLE('["1","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
      STRAIGHT_JOIN recency_contacts AS c ON c.user_id = 1 AND c.contact_id = wanted.id`,
    needs: 'a unique index on (user_id, contact_id)',
  },
  {
    about: 'all contacts of a user (recency_contacts by user_id)',
    statement: 'SELECT c.contact_id, c.last_upload_at FROM recency_contacts AS c WHERE c.user_id = 1 AND c.related',
    needs: 'an index that begins with user_id',
  },
  {
    about: 'the followers of an owner (recency_contacts by contact_id)',
    statement: 'SELECT c.user_id FROM recency_contacts AS c WHERE c.contact_id = 1',
    needs: 'an index on (contact_id, user_id, …)',
  },
  {
    about: 'the newest photos of an owner (recency_photos by owner_id and audience)',
    statement: `
      SELECT p.id FROM recency_photos AS p
      WHERE p.owner_id = 1 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10`,
    needs: 'an index on (owner_id, audience, uploaded_at, id)',
  },
];

/**
 * Do the views merge into the questions, and are the indexes there that the answers need? By EXPLAIN, which reads
 * nothing. A table so small that MySQL would rather read it whole is no problem, as long as there is an index.
 * @throws DatabaseUnavailable, and MySQL's own error when a view is missing or may not be explained
 */
export async function findPlanProblems(database: Database): Promise<PlanProblem[]> {
  const problems: PlanProblem[] = [];
  for (const question of QUESTIONS) problems.push(...(await explain(database, question)));
  return problems;
}

async function explain(database: Database, { about, statement, needs }: Question): Promise<PlanProblem[]> {
  const rows = await database.rows(`EXPLAIN FORMAT=TRADITIONAL ${statement}`, []);
  const steps = rows.map(stepOf).filter((step) => step.table !== 'wanted');
  if (steps.some((step) => step.isSeparate)) {
    return [{ question: about, finding: 'the view does not merge, so all of it is read every time', mend: MERGE }];
  }
  return steps.filter(readsTooMuch).map(({ table, isSorted }) => ({
    question: about,
    finding: isSorted ? `all that match are read and sorted (${table})` : `no index serves it: all of ${table} is read`,
    mend: `Give the table behind ${table} ${needs}.`,
  }));
}

interface Step {
  readonly table: string;
  /** The view, or a part of it, is made as a table of its own first. */
  readonly isSeparate: boolean;
  readonly hasIndex: boolean;
  readonly readsAll: boolean;
  readonly isSorted: boolean;
}

type Columns = readonly Value[];

/** An index that is read as a whole, although it may be the wrong one: of a small table that says nothing. */
const SMALL = 1_000;

/** id, select_type, table, (partitions,) type, possible_keys, key, key_len, ref, rows, (filtered,) Extra */
function stepOf(columns: Columns): Step {
  const offset = columns.length > 10 ? 1 : 0;
  const type = columns[3 + offset];
  const possibleKeys = columns[4 + offset] ?? null;
  const rows = Number(columns[8 + offset]);
  return {
    table: String(columns[2] ?? ''),
    isSeparate: !/^(SIMPLE|PRIMARY)$/.test(String(columns[1])) || /^<(derived|union|subquery)/.test(String(columns[2])),
    hasIndex: possibleKeys !== null && !(type === 'index' && rows > SMALL),
    readsAll: type === 'ALL' || type === 'index',
    isSorted: /filesort/.test(String(columns.at(-1))),
  };
}

function readsTooMuch({ hasIndex, readsAll, isSorted }: Step): boolean {
  return readsAll ? !hasIndex : isSorted;
}
