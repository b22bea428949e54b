import { DatabaseBusy } from '../mysql/database.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { Batches } from '../timing/batches.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { activeSpan, inSpan, type LiveSpan } from '../tracing/tracing.ts';

/** A question to MySQL that can share a statement with others of its kind. */
export interface SharedQuestion<Q, R> {
  readonly one: (question: Q, deadline?: Deadline) => Promise<R>;
  /** The answers are in the order of the questions. */
  readonly many: (questions: readonly Q[]) => Promise<readonly R[]>;
}

interface Asked<Q> {
  readonly question: Q;
  readonly deadline: Deadline | undefined;
  /** Of the answer that waits for it. */
  readonly span: LiveSpan | undefined;
}

/** Statements that run at once before others share one: two, so that MySQL works on one while the other's rows are read. */
const AT_ONCE = 2;

/** Answers that share one statement, at most. */
const MOST = 32;

/**
 * Reads what answers need: alone by a statement of its own; under load, those that would wait share one, because most of the
 * time that a statement takes is not spent on its rows.
 */
export class SharedReads<Q, R> {
  readonly #batches: Batches<Asked<Q>, R>;

  constructor({ server }: Pick<KindDatabase, 'server'>, question: SharedQuestion<Q, R>) {
    const refusal = () => new DatabaseBusy('MySQL: as many answers wait for it as may, or as can be read in time');
    const bound = { ...server.patience, refusal };
    this.#batches = new Batches({ work: (asked) => read(question, asked), atOnce: AT_ONCE, most: MOST, bound });
  }

  /**
   * The statement begins after this call.
   * @throws DatabaseUnavailable, DatabaseBusy, DeadlineExceeded, RequestCancelled
   */
  read(question: Q, deadline?: Deadline): Promise<R> {
    return withinDeadline(deadline, this.#batches.run({ question, deadline, span: activeSpan() }));
  }
}

async function read<Q, R>({ one, many }: SharedQuestion<Q, R>, asked: readonly Asked<Q>[]): Promise<readonly R[]> {
  const [first, ...others] = asked as readonly [Asked<Q>, ...Asked<Q>[]];
  if (others.length === 0) return [await inSpanOf(first, () => one(first.question, first.deadline))];
  // Their deadlines differ, so the statement has that of every call of the database. Who has gone is not asked about.
  const waiting = asked.filter(({ deadline }) => !isGone(deadline));
  if (waiting.length === 0) return [];
  const answers = await shared(asked, () => many(waiting.map(({ question }) => question)));
  const answerOf = new Map(waiting.map((one, i) => [one, answers[i] as R]));
  return asked.map((one) => answerOf.get(one) as R);
}

function isGone(deadline: Deadline | undefined): boolean {
  return deadline !== undefined && (deadline.isCancelled || deadline.leftMs === 0);
}

/** A batch begins where the one before it ended, which is another answer's span. */
function inSpanOf<T>({ span }: Asked<unknown>, work: () => Promise<T>): Promise<T> {
  return span === undefined ? work() : span.run(work);
}

/** One statement for several answers: a part of the first one whose span is recorded, with links to the others. */
function shared<T>(asked: readonly Asked<unknown>[], work: () => Promise<T>): Promise<T> {
  const [parent, ...links] = asked.flatMap(({ span }) => (span === undefined ? [] : [span.self]));
  if (parent === undefined) return work();
  return inSpan('recency.query.shared', work, { parent, links, attributes: { 'recency.answers': asked.length } });
}
