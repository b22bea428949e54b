/**
 * What the views of a database have been found to have. Every statement is first written for a view with all columns; the
 * server's own error says that one is missing, once a process for each database and kind, and from then on the statements do
 * without it. A column that a view loses is noticed the same way; one that it gains, when the process starts again.
 */
import type { AnswerDatabase } from './database.ts';
import { codeOf } from './faults.ts';

/** What a statement may rely on. */
export interface Learned {
  /** There are cursors in `recency_seen`. Their joins cost a tenth of an answer, so they are left out until there is one. */
  readonly seen: boolean;
  /** When the relations began: the view of the pairs has the column `since`. */
  readonly since: boolean;
  /** The view of the pairs has the column `last_upload_at`. Otherwise the photos say when the last upload was (last-upload.ts). */
  readonly lastUpload: boolean;
}

/** A statement whose text depends on what is known of the views. */
export type LearnedStatement = (by: Learned) => string;

/** At first: that nobody has seen anything, and that no column is missing. */
const AT_FIRST: Learned = { seen: false, since: true, lastUpload: true };

const LEARNED = new WeakMap<AnswerDatabase, { by: Learned }>();

/** What is known of the database, to read and to replace. */
export function learnedOf(database: AnswerDatabase): { by: Learned } {
  const learned = LEARNED.get(database) ?? { by: AT_FIRST };
  LEARNED.set(database, learned);
  return learned;
}

/** What is learned of one of them holds for both: they ask the same server about the same views. @returns `other` */
export function learnTogether<D extends AnswerDatabase>(other: D, database: AnswerDatabase): D {
  LEARNED.set(other, learnedOf(database));
  return other;
}

/** Each text made once, when it is first needed: the texts are few and fixed. */
export function madeOnce(statement: LearnedStatement): LearnedStatement {
  const texts = new Map<string, string>();
  return (by) => {
    const key = `${by.seen} ${by.since} ${by.lastUpload}`;
    const text = texts.get(key) ?? statement(by);
    texts.set(key, text);
    return text;
  };
}

const OPTIONAL = [
  ['since', /\bsince\b/],
  ['lastUpload', /\blast_upload_at\b/],
] as const;

/** What is known after this error; undefined: it is not about a column that may be missing. */
function withoutColumn(by: Learned, error: unknown): Learned | undefined {
  if (codeOf(error) !== 'ER_BAD_FIELD_ERROR' || !(error instanceof Error)) return undefined;
  const missing = OPTIONAL.find(([column, name]) => by[column] && name.test(error.message));
  return missing && { ...by, [missing[0]]: false };
}

/**
 * Reads with the statement that suits the views, and once more for each column that proves to be missing.
 * @throws what `read` throws
 */
export async function readLearned<T>(
  database: AnswerDatabase,
  statement: LearnedStatement,
  read: (statement: string, by: Learned) => Promise<T>,
): Promise<T> {
  const learned = learnedOf(database);
  for (;;) {
    const { by } = learned;
    try {
      return await read(statement(by), by);
    } catch (error) {
      const better = withoutColumn(by, error);
      if (better === undefined) throw error;
      learned.by = {
        ...learned.by,
        since: learned.by.since && better.since,
        lastUpload: learned.by.lastUpload && better.lastUpload,
      };
    }
  }
}
