import { isoTime } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import type { Key } from '../../../contracts/key.ts';
import { loop, pause } from '../../../timing/loop.ts';
import type { HttpClient } from '../../harness/http.ts';
import type { Certificate } from './certificate.ts';

/** What became of the answers that were read to be compared. */
export interface ComparerCounts {
  /** Compared with plain SQL, row by row. */
  compared: number;
  /** Those of them that were different. */
  wrong: number;
  /** Not compared, because the answer says itself that it is not exact. */
  notExact: number;
  /** Not compared, because plain SQL itself gave two different lists around the answer, or the site was changed meanwhile. */
  changed: number;
  /** The API refused them, or was not there. */
  unanswered: number;
}

export interface ComparerOptions {
  readonly api: Pick<HttpClient, 'get'>;
  /** Plain SQL over all contacts, on the primary. */
  readonly plain: (user: Id, limit: number) => Promise<readonly Key[]>;
  readonly nextUser: () => Id;
  /** Grows before each change of the site: a list could change and change back. */
  readonly changes: () => number;
  /** Nothing is compared meanwhile. */
  readonly isResting: () => boolean;
  /** ms since 1970 UTC, on the machine of the API. */
  readonly clock: () => number;
  /** Before an answer that may lag too far is read again, ms (350). */
  readonly againMs?: number;
}

/** Comparisons at a time, and the pause between two of one place: most of the time they wait for the lag to be measured. */
const AT_ONCE = 8;
const EVERY_MS = 100;
const LIMIT = 10;

/** An answer may lag: one is read again until it must contain what plain SQL had. */
const AGAIN_MS = 350;
const PATIENCE_MS = 15_000;

/** The parts of an answer that are compared. */
export interface ComparedAnswer {
  readonly contacts: readonly { readonly id: Id; readonly last_upload_at: string }[];
  readonly answer: Certificate;
}

/**
 * Compares answers with plain SQL all the time. An answer lies between two runs of plain SQL, and it is compared only when it must
 * contain all that the first of them saw (`as_of` minus `lag_ms` is later), and when both have seen the same. Then anything but
 * the same list is wrong.
 */
export class AnswerComparer {
  readonly counts: ComparerCounts = { compared: 0, wrong: 0, notExact: 0, changed: 0, unanswered: 0 };
  /** The first wrong answer, for people. */
  example: string | undefined;
  readonly #options: ComparerOptions;

  constructor(options: ComparerOptions) {
    this.#options = options;
  }

  /** Compares until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const round = async () => {
      if (!this.#options.isResting()) await this.compareOne(signal);
      return EVERY_MS;
    };
    const onError = () => {
      this.counts.unanswered++;
      return AGAIN_MS;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, () => loop({ signal, round, onError })));
  }

  /** Reads one answer and compares it. @throws Error when MySQL or the API is not there */
  async compareOne(signal: AbortSignal): Promise<void> {
    const { plain, nextUser, changes, clock } = this.#options;
    const [user, changesBefore] = [nextUser(), changes()];
    const before = await plain(user, LIMIT);
    const answer = await this.#answerSince(user, clock(), signal);
    if (answer === undefined) return;
    const after = await plain(user, LIMIT);
    if (!isSameList(rowsOf(before), rowsOf(after)) || changes() !== changesBefore) {
      this.counts.changed++;
      return;
    }
    this.counts.compared++;
    if (isSameList(rowsOf(before), answer.contacts)) return;
    this.counts.wrong++;
    this.example ??= `user ${user}: plain SQL ${JSON.stringify(rowsOf(before))}, the answer ${JSON.stringify(answer)}`;
  }

  /** An exact answer with all that was committed until then; undefined: there is none, and that has been counted. */
  async #answerSince(user: Id, at: number, signal: AbortSignal): Promise<ComparedAnswer | undefined> {
    const { api, clock, againMs = AGAIN_MS } = this.#options;
    while (!signal.aborted) {
      const { status, body } = await api.get(`/v1/users/${user}/contacts/recent?limit=${LIMIT}`);
      if (status !== 200) {
        this.counts.unanswered++;
        return undefined;
      }
      const answer = JSON.parse(body) as ComparedAnswer;
      if (!answer.answer.exact || clock() - at > PATIENCE_MS) {
        this.counts.notExact++;
        return undefined;
      }
      if (containsAllUntil(answer.answer) >= at) return answer;
      await pause(againMs, signal);
    }
    return undefined;
  }
}

/** Every change that was committed until then is in the answer, ms since 1970 UTC. */
export function containsAllUntil({ as_of, lag_ms }: Pick<Certificate, 'as_of' | 'lag_ms'>): number {
  return Date.parse(as_of) - (lag_ms ?? 0);
}

/** Plain SQL's rows as an answer writes them. */
function rowsOf(keys: readonly Key[]): ComparedAnswer['contacts'] {
  return keys.map(({ id, at }) => ({ id, last_upload_at: isoTime(at) }));
}

function isSameList(one: ComparedAnswer['contacts'], other: ComparedAnswer['contacts']): boolean {
  const isSame = ({ id, last_upload_at: at }: ComparedAnswer['contacts'][number], i: number) =>
    other[i]?.id === id && other[i]?.last_upload_at === at;
  return one.length === other.length && one.every(isSame);
}
