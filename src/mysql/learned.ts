/**
 * What the views of a database have been found to have. Every statement is first written for a view with all columns; the
 * server's own error says that one is missing, once a process for each database and kind, and from then on the statements do
 * without it. A column that a view loses is noticed the same way; one that it gains, when the process starts again.
 */
import { namedRelations } from '../contracts/relation.ts';
import type { AnswerDatabase } from './database.ts';
import { type ExtraColumn, type ExtraColumns, NO_EXTRA } from './extra-columns.ts';
import { codeOf } from './faults.ts';
import { askedAboutBy } from './kind-database.ts';

/** What a statement may rely on. */
export interface Learned {
  /** There are cursors in `recency_seen`. Their joins cost a tenth of an answer, so they are left out until there is one. */
  readonly seen: boolean;
  /** When the relations began: the view of the pairs has the column `since`. */
  readonly since: boolean;
  /** The view of the pairs has the column `last_upload_at`. Otherwise the photos say when the last upload was (last-upload.ts). */
  readonly lastUpload: boolean;
  /**
   * Narrowed reads look up the photos of that many audiences, the first ones: no candidate's user has been found to see another.
   * (Each more would cost a twentieth of such a read on MariaDB, which plans each look-up at every execution.)
   */
  readonly audiences: number;
  /** What is selected only to be passed on. */
  readonly extra: ExtraColumns;
  /** The bits of a relation are selected: this process has names for them. */
  readonly bits: boolean;
}

/** A statement whose text depends on what is known of the views. */
export type LearnedStatement = (by: Learned) => string;

/**
 * At first: that nobody has seen anything, that no column is missing, and that everybody sees the public photos only. Objects
 * for all, so that texts are made once.
 */
const AT_FIRST: Learned = { seen: false, since: true, lastUpload: true, audiences: 1, extra: NO_EXTRA, bits: false };
const AT_FIRST_WITH_BITS: Learned = { ...AT_FIRST, bits: true };

/** By server, and by the name of the kind. */
const LEARNED = new WeakMap<AnswerDatabase, Map<string, { by: Learned }>>();

function learnedOfServer(server: AnswerDatabase): Map<string, { by: Learned }> {
  const learned = LEARNED.get(server) ?? new Map<string, { by: Learned }>();
  LEARNED.set(server, learned);
  return learned;
}

/** What is known of the database about the kind that it is asked about, to read and to replace. */
export function learnedOf(database: AnswerDatabase): { by: Learned } {
  const { server, kind } = askedAboutBy(database);
  const ofServer = learnedOfServer(server);
  const learned = ofServer.get(kind) ?? { by: namedRelations().length > 0 ? AT_FIRST_WITH_BITS : AT_FIRST };
  ofServer.set(kind, learned);
  return learned;
}

/** What is learned of one of them holds for both: they ask the same server about the same views. @returns `other` */
export function learnTogether<D extends AnswerDatabase>(other: D, database: AnswerDatabase): D {
  LEARNED.set(other, learnedOfServer(database));
  return other;
}

/** From now on, answers of this database about its kind have these columns too. */
export function passOn(database: AnswerDatabase, extra: ExtraColumns): void {
  const learned = learnedOf(database);
  learned.by = { ...learned.by, extra };
}

/** Each text made once. There are few: a process compares more, and selects less, as it learns. */
export function madeOnce(statement: LearnedStatement): LearnedStatement {
  const texts = new WeakMap<Learned, string>();
  return (by) => {
    const text = texts.get(by) ?? statement(by);
    texts.set(by, text);
    return text;
  };
}

const UNKNOWN_COLUMN = /Unknown column '(?:\w+\.)?(\w+)'/;

/** What is known after this error; undefined: it is not about a column that may be missing. */
function without(error: unknown, by: Learned): Learned | undefined {
  if (codeOf(error) !== 'ER_BAD_FIELD_ERROR' || !(error instanceof Error)) return undefined;
  const [, lacking] = UNKNOWN_COLUMN.exec(error.message) ?? [];
  if (lacking === 'since' && by.since) return { ...by, since: false };
  if (lacking === 'last_upload_at' && by.lastUpload) return { ...by, lastUpload: false };
  const others = (columns: readonly ExtraColumn[]) => columns.filter(({ column }) => column !== lacking);
  const extra = { source: others(by.extra.source), photo: others(by.extra.photo) };
  const isFewer = extra.source.length < by.extra.source.length || extra.photo.length < by.extra.photo.length;
  return isFewer ? { ...by, extra } : undefined;
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
      if (without(error, by) === undefined) throw error;
      learned.by = without(error, learned.by) ?? learned.by; // another statement may have learned the same, or something else
    }
  }
}
