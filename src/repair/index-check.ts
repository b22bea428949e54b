import { type Id, isId } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { ContactIndex, Epoch, Limits, Reading } from '../index/contact-index.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type Pair, readPairs } from '../mysql/statements/pairs.ts';
import { TopContactsReader } from '../mysql/top-contacts-reader.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { TimedBatches } from './adaptive-batches.ts';
import { diff, isClientVisible, type Mismatch } from './drift.ts';
import { ContactsTooMany } from './failed-users.ts';

/** What one look at a user's index found. */
export interface IndexFinding {
  readonly user: Id;
  /** `broken`: neither warm nor cold; readers treat it as cold, but nothing should have left it so. */
  readonly state: 'warm' | 'cold' | 'broken';
  readonly mismatches: readonly Mismatch[];
  /** A client of the API would have noticed. */
  readonly clientVisible: boolean;
  /** The best contacts in MySQL, up to max; none if the user has no index. */
  readonly head: readonly Id[];
}

/** One user's index beside MySQL. */
export interface IndexSideBySide {
  readonly user: Id;
  readonly reading: Reading;
  /** false: the index is of another epoch, so it counts as cold and nothing of it is wrong; undefined: it is not warm. */
  readonly epochCurrent: boolean | undefined;
  /** Plain SQL: the best contacts, 256 of them, and those in the index that are related and have an upload, highest key first. */
  readonly truth: readonly Key[];
  readonly mismatches: readonly Mismatch[];
  /** A client of the API would have noticed. */
  readonly clientVisible: boolean;
}

interface IndexCheckStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly primary: KindDatabase;
  readonly limits: Limits;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Deadline of a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number;
}

export const ALONE_MS = 5_000;

/** Above a floor that is far too low there may be many contacts. This many are compared, which is always more than max. */
const CONTACTS_COMPARED = 256;

interface Comparison {
  readonly user: Id;
  readonly reading: Reading;
  readonly truth: readonly Key[];
}

/**
 * Compares the indexes of a page of users with MySQL: quickly for all of them, in few statements, and closely for those
 * that differ. Both read the index before MySQL, as all readers do.
 */
export class IndexCheck {
  readonly #stores: IndexCheckStores;
  readonly #batches: TimedBatches;
  readonly #tops: TopContactsReader;

  constructor(stores: IndexCheckStores) {
    const { primary: database, now, aloneMs = ALONE_MS } = stores;
    this.#stores = stores;
    this.#tops = new TopContactsReader({ database, now, aloneMs });
    this.#batches = new TimedBatches(now);
  }

  /**
   * In the order of the users, each of whom is given once.
   * @throws RedisUnavailable, DatabaseUnavailable, ContactsTooMany, the signal's reason
   */
  async look(users: readonly Id[], signal?: AbortSignal): Promise<IndexFinding[]> {
    const count = this.#stores.limits.max + 1;
    const found = (await this.#batches.each(users, (some) => this.#compare(some, count), signal)).flat();
    const suspects = found.filter((finding) => finding.mismatches.length > 0).map((finding) => finding.user);
    const closer = new Map((await this.lookCloser(suspects, signal)).map((finding) => [finding.user, finding]));
    return found.map((finding) => closer.get(finding.user) ?? finding);
  }

  /** The same, with every mismatch and its effect on clients. */
  async lookCloser(users: readonly Id[], signal?: AbortSignal): Promise<IndexFinding[]> {
    const compareClosely = (some: readonly Id[]) => this.#compare(some, CONTACTS_COMPARED, true);
    return (await this.#batches.each(users, compareClosely, signal)).flat();
  }

  /**
   * The comparison itself, also of a user without an index. A difference may be a change that is on its way.
   * @throws RedisUnavailable, DatabaseUnavailable, HeavyQueriesBusy, DeadlineExceeded, RequestCancelled, ContactsTooMany
   */
  async sideBySide(user: Id, deadline?: Deadline): Promise<IndexSideBySide> {
    const { index } = this.#stores;
    const reading = await withinDeadline(deadline, index.read(user, 0, false));
    const { epoch, tops } = await this.#tops.read([user], CONTACTS_COMPARED, { deadline });
    const [top] = tops;
    if (top === undefined) throw new ContactsTooMany(user, this.#tops.aloneMs);
    const [one] = await this.#withMembers([{ user, reading, truth: top }]);
    const { truth } = one as Comparison;
    const epochCurrent = reading.state === 'warm' ? reading.epoch === epoch : undefined;
    const { mismatches, clientVisible } = this.#finding({ user, reading, truth }, epoch);
    return { user, reading, epochCurrent, truth, mismatches, clientVisible };
  }

  async #compare(users: readonly Id[], count: number, closely = false): Promise<IndexFinding[]> {
    const readings = await Promise.all(users.map((user) => this.#stores.index.read(user, 0, false)));
    const found = new Map<Id, IndexFinding>();
    let waiting = users
      .map((user, i) => ({ user, reading: readings[i] as Reading }))
      .filter(({ reading }) => reading.state !== 'cold');
    while (waiting.length > 0) {
      const wanted = waiting.map(({ user }) => user);
      const { epoch, tops } = await this.#tops.read(wanted, count); // may answer for the first users only
      if (tops.length === 0) throw new ContactsTooMany(wanted[0], this.#tops.aloneMs);
      const comparisons = tops.map((truth, i) => ({ ...(waiting[i] as (typeof waiting)[number]), truth }));
      const complete = closely ? await this.#withMembers(comparisons) : comparisons;
      for (const one of complete) found.set(one.user, this.#finding(one, epoch));
      waiting = waiting.slice(tops.length);
    }
    return users.map((user) => found.get(user) ?? coldFinding(user));
  }

  /** Adds MySQL's keys of the members that are not among the best. */
  async #withMembers(comparisons: readonly Comparison[]): Promise<readonly Comparison[]> {
    const pairs = comparisons.flatMap(membersBelow);
    if (pairs.length === 0) return comparisons;
    const { rows } = await readPairs(this.#stores.primary, pairs);
    const live = Map.groupBy(
      rows.filter((row) => row.related && row.lastUploadAt > 0),
      (row) => row.user,
    );
    return comparisons.map((one) => {
      const members = (live.get(one.user) ?? []).map((row): Key => ({ id: row.contact, at: row.lastUploadAt }));
      return { ...one, truth: [...one.truth, ...members].sort(byKeyDescending) };
    });
  }

  #finding({ user, reading, truth }: Comparison, epoch: Epoch): IndexFinding {
    const { limits } = this.#stores;
    // An index of another epoch is cold, never wrong.
    if ('epoch' in reading && reading.epoch !== epoch) return coldFinding(user);
    const mismatches = diff(reading, truth, limits);
    const head = truth.slice(0, limits.max).map(({ id }) => id);
    if (reading.state === 'warm') {
      const clientVisible = mismatches.length > 0 && isClientVisible(reading, truth, limits.max);
      return { user, state: 'warm', mismatches, clientVisible, head };
    }
    return { user, state: mismatches.length > 0 ? 'broken' : 'cold', mismatches, clientVisible: false, head };
  }
}

/** A member that is not an id belongs to nobody, so MySQL is not asked about it. */
function membersBelow({ user, reading, truth }: Comparison): Pair[] {
  if (reading.state !== 'warm') return [];
  const known = new Set(truth.map((key) => key.id));
  return reading.head.filter(({ id }) => isId(id) && !known.has(id)).map(({ id }) => ({ user, contact: id }));
}

function coldFinding(user: Id): IndexFinding {
  return { user, state: 'cold', mismatches: [], clientVisible: false, head: [] };
}
