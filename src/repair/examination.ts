import { type Id, isId } from '../contracts/id.ts';
import { byKeyDescending, type Key } from '../contracts/key.ts';
import type { ContactIndex, Epoch, Reading } from '../index/contact-index.ts';
import type { Limits } from '../index/limits.ts';
import type { Database } from '../mysql/database.ts';
import { type Pair, readPairs } from '../mysql/pairs.ts';
import { TopContactsReader } from '../mysql/top-contacts.ts';
import { Chunks } from './chunks.ts';
import { diff, type Mismatch } from './drift.ts';
import { ContactsTooMany } from './failed-users.ts';
import { isVisible } from './visible.ts';

/** What one look at a user's index found. */
export interface Finding {
  readonly user: Id;
  /** `broken`: neither warm nor cold; a reader takes it for cold, but nothing should have left it so. */
  readonly state: 'warm' | 'cold' | 'broken';
  readonly mismatches: readonly Mismatch[];
  /** A client of the API would have noticed. */
  readonly visible: boolean;
  /** The contacts who MySQL says are the best, up to max; none where the user has no index. */
  readonly head: readonly Id[];
}

export interface ExaminedStores {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly primary: Database;
  readonly limits: Limits;
  /** ms, monotonic. */
  readonly now: () => number;
  /** For a statement that reads all contacts of one user, ms (5,000). */
  readonly aloneMs?: number;
}

const ALONE_MS = 5_000;

/** Above a floor that is far too low there may be many: as many as these are told apart, which is always more than max. */
const CONTACTS_EXAMINED = 256;

/**
 * Looks at the indexes of a page of users and compares them with MySQL: a quick look at all of them, in few statements,
 * and a closer one at those that it suspects. Both looks read the index before MySQL, as everybody does.
 */
export class Examination {
  readonly #stores: ExaminedStores;
  readonly #chunks: Chunks;
  readonly #tops: TopContactsReader;

  constructor(stores: ExaminedStores) {
    const { primary: database, now, aloneMs = ALONE_MS } = stores;
    this.#stores = stores;
    this.#tops = new TopContactsReader({ database, now, aloneMs });
    this.#chunks = new Chunks(stores.now);
  }

  /**
   * In the order of the users, each named once.
   * @throws RedisUnavailable, DatabaseUnavailable, ContactsTooMany, the signal's reason
   */
  async look(users: readonly Id[], signal?: AbortSignal): Promise<Finding[]> {
    const count = this.#stores.limits.max + 1;
    const found = (await this.#chunks.each(users, (some) => this.#findings(some, count), signal)).flat();
    const suspects = found.filter((finding) => finding.mismatches.length > 0).map((finding) => finding.user);
    const closer = new Map((await this.lookCloser(suspects, signal)).map((finding) => [finding.user, finding]));
    return found.map((finding) => closer.get(finding.user) ?? finding);
  }

  /** The same, with every mismatch and what it means for clients. */
  async lookCloser(users: readonly Id[], signal?: AbortSignal): Promise<Finding[]> {
    const closely = (some: readonly Id[]) => this.#findings(some, CONTACTS_EXAMINED, true);
    return (await this.#chunks.each(users, closely, signal)).flat();
  }

  async #findings(users: readonly Id[], count: number, closely = false): Promise<Finding[]> {
    const readings = await Promise.all(users.map((user) => this.#stores.index.read(user, 0, false)));
    const found = new Map<Id, Finding>();
    let asked = users
      .map((user, i) => ({ user, reading: readings[i] as Reading }))
      .filter(({ reading }) => reading.state !== 'cold');
    while (asked.length > 0) {
      const { epoch, tops } = await this.#tops.read(
        asked.map(({ user }) => user),
        count,
      );
      if (tops.length === 0) throw new ContactsTooMany(asked[0]?.user, this.#tops.aloneMs);
      const looks = asked.slice(0, tops.length).map((look, i) => ({ ...look, truth: tops[i] ?? [] }));
      const whole = closely ? await this.#withMembers(looks) : looks;
      for (const look of whole) found.set(look.user, this.#finding(look, epoch));
      asked = asked.slice(tops.length);
    }
    return users.map((user) => found.get(user) ?? coldFinding(user));
  }

  /** Adds what MySQL says of the members that are not among the best. */
  async #withMembers(looks: readonly Look[]): Promise<Look[]> {
    const pairs = looks.flatMap(missingMembers);
    if (pairs.length === 0) return [...looks];
    const { rows } = await readPairs(this.#stores.primary, pairs);
    const live = Map.groupBy(
      rows.filter((row) => row.related && row.lastUploadAt > 0),
      (row) => row.user,
    );
    return looks.map((look) => {
      const members = (live.get(look.user) ?? []).map((row): Key => ({ id: row.contact, at: row.lastUploadAt }));
      return { ...look, truth: [...look.truth, ...members].sort(byKeyDescending) };
    });
  }

  #finding({ user, reading, truth }: Look, epoch: Epoch): Finding {
    const { limits } = this.#stores;
    // Of another epoch it is cold, never wrong.
    if ('epoch' in reading && reading.epoch !== epoch) return coldFinding(user);
    const mismatches = diff(reading, truth, limits);
    const head = truth.slice(0, limits.max).map(({ id }) => id);
    if (reading.state === 'warm') {
      const visible = mismatches.length > 0 && isVisible(reading, truth, limits.max);
      return { user, state: 'warm', mismatches, visible, head };
    }
    return { user, state: mismatches.length > 0 ? 'broken' : 'cold', mismatches, visible: false, head };
  }
}

interface Look {
  readonly user: Id;
  readonly reading: Reading;
  readonly truth: readonly Key[];
}

/** A member that is no id is nobody's: it needs no question. */
function missingMembers({ user, reading, truth }: Look): Pair[] {
  if (reading.state !== 'warm') return [];
  const known = new Set(truth.map((key) => key.id));
  return reading.head.filter(({ id }) => isId(id) && !known.has(id)).map(({ id }) => ({ user, contact: id }));
}

function coldFinding(user: Id): Finding {
  return { user, state: 'cold', mismatches: [], visible: false, head: [] };
}
