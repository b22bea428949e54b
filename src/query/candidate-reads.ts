import type { Id } from '../contracts/id.ts';
import { readCandidates, readCandidatesOfMany } from '../mysql/candidates.ts';
import type { LiveContacts } from '../mysql/contacts.ts';
import { type AnswerDatabase, type Database, DatabaseBusy } from '../mysql/database.ts';
import { Batches } from '../timing/batches.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { activeSpan, inSpan, type LiveSpan } from '../tracing/tracing.ts';

/** The candidates of one answer as MySQL has them now. */
export type LiveRows = Pick<LiveContacts, 'epoch' | 'contacts' | 'isReplica'>;

interface CandidatesOfUser {
  readonly user: Id;
  readonly candidates: readonly Id[];
}

interface Asked extends CandidatesOfUser {
  readonly deadline?: Deadline | undefined;
  /** Of the answer that waits for it. */
  readonly span: LiveSpan | undefined;
}

/** Statements that run at once before others share one: two, so that MySQL works on one while the other's rows are read. */
const AT_ONCE = 2;

/** Answers that share one statement, at most. */
const MOST = 32;

/**
 * Reads the candidates of answers: alone by a statement of its own; under load, those that would wait share one, because most of
 * the time that a statement takes is not spent on its rows.
 */
export class CandidateReads {
  readonly #batches: Batches<Asked, LiveRows>;

  constructor(database: AnswerDatabase & Pick<Database, 'patience'>) {
    const refusal = () => new DatabaseBusy('MySQL: as many answers wait for it as may, or as can be read in time');
    const bound = { ...database.patience, refusal };
    this.#batches = new Batches({ work: (asked) => read(database, asked), atOnce: AT_ONCE, most: MOST, bound });
  }

  /**
   * The candidates that are related to the user and have an upload, in no order. The statement begins after this call.
   * @throws DatabaseUnavailable, DatabaseBusy, DeadlineExceeded, RequestCancelled
   */
  read(user: Id, candidates: readonly Id[], deadline?: Deadline): Promise<LiveRows> {
    return withinDeadline(deadline, this.#batches.run({ user, candidates, deadline, span: activeSpan() }));
  }
}

async function read(database: AnswerDatabase, asked: readonly Asked[]): Promise<readonly LiveRows[]> {
  const [first, ...others] = asked as readonly [Asked, ...Asked[]];
  if (others.length === 0) return [await inSpanOf(first, () => readOne(database, first))];
  // Their deadlines differ, so the statement has that of every call of the database. Who has gone is not asked about.
  const isGone = (deadline?: Deadline) => deadline !== undefined && (deadline.isCancelled || deadline.leftMs === 0);
  const waiting = asked.filter(({ deadline }) => !isGone(deadline));
  const { epoch, contacts, isReplica } = await shared(asked, () =>
    readCandidatesOfMany(database, mergedByUser(waiting)),
  );
  return asked.map(({ user, candidates }) => {
    const wanted = new Set(candidates);
    const own = (contacts.get(user) ?? []).filter(({ id }) => wanted.has(id));
    return { epoch, contacts: own, isReplica };
  });
}

function readOne(database: AnswerDatabase, { user, candidates, deadline }: Asked): Promise<LiveRows> {
  return readCandidates(database, user, candidates, deadline);
}

/** A batch begins where the one before it ended, which is another answer's span. */
function inSpanOf<T>({ span }: Asked, work: () => Promise<T>): Promise<T> {
  return span === undefined ? work() : span.run(work);
}

/** One statement for several answers: a part of the first one whose span is recorded, with links to the others. */
function shared<T>(asked: readonly Asked[], work: () => Promise<T>): Promise<T> {
  const [parent, ...links] = asked.flatMap(({ span }) => (span === undefined ? [] : [span.self]));
  if (parent === undefined) return work();
  return inSpan('recency.query.shared', work, { parent, links, attributes: { 'recency.answers': asked.length } });
}

/** Each user once: some may be asked about twice at the same moment. */
function mergedByUser(waiting: readonly Asked[]): CandidatesOfUser[] {
  return Array.from(
    Map.groupBy(waiting, ({ user }) => user),
    ([user, own]) => ({
      user,
      candidates: [...new Set(own.flatMap(({ candidates }) => candidates))],
    }),
  );
}
