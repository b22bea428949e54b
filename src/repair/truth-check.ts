/**
 * Compares `last_upload_at` of `recency_contacts` with `recency_photos`: drift of the class `truth`. Both views are the
 * site's, so a difference is the site's fault. No index shows it, since indexes and plain SQL both take the column for
 * the truth, and no rebuild removes it.
 *
 * All contacts of a user are compared with what was read of their owners' photos up to a minute before, because the same
 * owner is the contact of many users. That only makes suspects: a pair counts as wrong when one statement, of one
 * snapshot, sees both views contradict one another. A site that writes the column in the photo's transaction is never accused,
 * whatever commits meanwhile.
 */
import { LRUCache } from 'lru-cache';
import type { Id } from '../contracts/id.ts';
import { isoTime } from '../contracts/iso-time.ts';
import type { RawContact } from '../mysql/contacts.ts';
import { lastUploadOf } from '../mysql/contacts.ts';
import { type Database, StatementTooSlow } from '../mysql/database.ts';
import { mysqlFaultOf } from '../mysql/faults.ts';
import {
  AUDIENCES,
  type Audiences,
  type ComparedPair,
  comparePairs,
  readContactsFrom,
  readNewestOf,
} from '../mysql/newest-photos.ts';
import type { Pair } from '../mysql/pairs.ts';
import { audiencesOf } from '../mysql/photos.ts';

/** A type, not an interface: pages of it are summed up. */
export type TruthCounts = {
  /** Related pairs whose last upload was compared with the photos; not those with whom that took too long or failed. */
  readonly pairs: number;
  /** Those of them that the photos contradict. */
  readonly wrong: number;
};

export const NO_TRUTH: TruthCounts = { pairs: 0, wrong: 0 };

/** A pair of which the two views say different things. Times in ms since 1970 UTC; null: no upload. */
export interface WrongPair extends Pair {
  readonly view_says: number | null;
  readonly photos_say: number | null;
}

export interface CheckedTruth {
  readonly counts: TruthCounts;
  /** Users with a wrong pair. */
  readonly users: number;
  /** Pairs that have an upload, by the view. */
  readonly uploads: number;
  /** The first few. */
  readonly wrong: readonly WrongPair[];
}

export interface TruthStores {
  readonly primary: Database;
  /** From 0 up to 1 (Math.random). */
  readonly random?: () => number;
  /** For one statement, about a thousand pairs at the most, ms (5,000). What takes longer is asked for in smaller parts. */
  readonly aloneMs?: number | undefined;
}

const WITHIN_MS = 5_000;

/** Owners or pairs in one statement, at the most. */
const AT_ONCE = 1_000;

/** When so many are too slow one by one, the rest of the same look is not tried. */
const TOO_SLOW = 3;

/** Owners whose photos' times are remembered, and for how long. */
const REMEMBERED = { max: 50_000, ttl: 60_000 };

/** Wrong pairs by name, of one look. */
const NAMED = 20;

/** Of a page of users, those of whom more than the head is compared; and contacts of each. */
const SPOTS = { users: 5, contacts: 100 };

export class TruthCheck {
  readonly #database: Database;
  readonly #random: () => number;
  readonly #withinMs: number;
  readonly #newest = new LRUCache<Id, readonly number[]>(REMEMBERED);
  readonly #masks = new LRUCache<string, readonly number[]>({ max: 1_000 });
  #audiences: Audiences = AUDIENCES[0];
  #atOnce = AT_ONCE;

  constructor({ primary, random = Math.random, aloneMs = WITHIN_MS }: TruthStores) {
    this.#database = primary;
    this.#random = random;
    this.#withinMs = aloneMs;
  }

  /** Every related contact of a user, of whom all rows were read. @throws DatabaseUnavailable */
  async ofRows(user: Id, rows: readonly RawContact[]): Promise<CheckedTruth> {
    const related = rows.filter((row) => row.related);
    this.#provideFor(related);
    const uploads = related.filter(({ lastUploadAt }) => lastUploadOf(lastUploadAt) > 0).length;
    const suspects = new Set<Id>();
    let unread = 0;
    for (let from = 0; from < related.length; from += AT_ONCE) {
      const some = related.slice(from, from + AT_ONCE);
      if (unread < TOO_SLOW) unread += await this.#remember(some.map(({ id }) => id));
      for (const row of some) if (this.#isSuspect(row)) suspects.add(row.id);
    }
    const pairs = [...suspects].map((contact) => ({ user, contact }));
    const { done, left } = await this.#inParts(pairs, (some) => this.#compare(some));
    const { counts, wrong } = judged(done.flat());
    const checked = { pairs: related.length - left, wrong: counts.wrong };
    return { counts: checked, users: counts.wrong > 0 ? 1 : 0, uploads, wrong };
  }

  /** Those of the pairs who are related. @throws DatabaseUnavailable, the signal's reason */
  async ofPairs(pairs: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    const byKey = new Map(pairs.map((pair) => [`${pair.user} ${pair.contact}`, pair]));
    const { done } = await this.#inParts([...byKey.values()], (some) => this.#compare(some), signal);
    return judged(done.flat());
  }

  /**
   * The given pairs of these users, and of a few of the users a hundred contacts more, whoever they are: a last upload that
   * is too low keeps a pair out of everybody's head.
   * @throws DatabaseUnavailable, the signal's reason
   */
  async ofHeads(users: readonly Id[], heads: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    const any = () => users[Math.floor(this.#random() * users.length)] ?? '0';
    const waiting = [...users];
    const others: Pair[] = [];
    for (let spots = 0; spots < SPOTS.users && waiting.length > 0; spots++) {
      const [user = '0'] = waiting.splice(Math.floor(this.#random() * waiting.length), 1);
      const contacts = await readContactRun(this.#database, user, any(), SPOTS.contacts).catch(noneOf);
      others.push(...contacts.map((contact) => ({ user, contact })));
    }
    return await this.ofPairs([...heads, ...others], signal);
  }

  /**
   * Does the work on all, with so many in a statement as are answered in time. Those with whom it fails alone are left out: what
   * is compared here must not keep anything else from being done.
   */
  async #inParts<T, R>(items: readonly T[], work: (some: readonly T[]) => Promise<R>, signal?: AbortSignal) {
    const done: R[] = [];
    let left = 0;
    let tooSlow = 0;
    for (let from = 0; from < items.length; ) {
      signal?.throwIfAborted();
      const some = items.slice(from, from + this.#atOnce);
      try {
        done.push(await work(some));
        from += some.length;
        if (some.length >= this.#atOnce) this.#atOnce = Math.min(AT_ONCE, this.#atOnce * 2);
      } catch (error) {
        if (!isOfSome(error)) throw error;
        this.#atOnce = Math.ceil(some.length / 2);
        if (some.length > 1) continue;
        left += 1;
        from += 1;
        if (error instanceof StatementTooSlow) tooSlow += 1;
        if (tooSlow === TOO_SLOW) return { done, left: left + items.length - from };
      }
    }
    return { done, left };
  }

  /** Both views of these pairs in one statement. */
  async #compare(pairs: readonly Pair[]): Promise<ComparedPair[]> {
    for (;;) {
      const audiences = this.#audiences;
      const rows = await comparePairs(this.#database, pairs, audiences, this.#withinMs);
      this.#provideFor(rows);
      if (this.#audiences === audiences) return rows;
    }
  }

  /** Sees to it that the statements look at every audience that somebody of these sees. */
  #provideFor(rows: readonly { readonly sees: string }[]): void {
    const highest = rows.reduce((most, { sees }) => Math.max(most, this.#visible(sees).at(-1) ?? 0), 0);
    const needed = AUDIENCES.find((audiences) => audiences > highest) ?? AUDIENCES[AUDIENCES.length - 1];
    if (needed === undefined || needed <= this.#audiences) return;
    this.#audiences = needed;
    this.#newest.clear();
  }

  /** @returns how many could not be read: they count as suspects */
  async #remember(owners: readonly Id[]): Promise<number> {
    const unknown = [...new Set(owners.filter((owner) => !this.#newest.has(owner)))];
    const { left } = await this.#inParts(unknown, async (some) => {
      const audiences = this.#audiences;
      const newest = await readNewestOf(this.#database, some, audiences, this.#withinMs);
      if (this.#audiences !== audiences) return; // more are wanted meanwhile: these count as suspects
      for (const [owner, times] of newest) this.#newest.set(owner, times);
    });
    return left;
  }

  #isSuspect({ id, sees, lastUploadAt }: RawContact): boolean {
    const times = this.#newest.get(id);
    if (times === undefined) return true; // forgotten meanwhile
    const photosSay = this.#visible(sees).reduce((latest, audience) => Math.max(latest, times[audience] ?? 0), 0);
    return photosSay !== lastUploadOf(lastUploadAt);
  }

  /** The audiences in a bitmask, the lowest first. */
  #visible(sees: string): readonly number[] {
    const known = this.#masks.get(sees);
    if (known !== undefined) return known;
    const audiences = audiencesOf(sees).map(Number);
    this.#masks.set(sees, audiences);
    return audiences;
  }
}

/** It is a matter of what was asked: MySQL may well answer about others. */
function isOfSome(error: unknown): boolean {
  return error instanceof StatementTooSlow || mysqlFaultOf(error) === 'row';
}

function noneOf(error: unknown): [] {
  if (isOfSome(error)) return [];
  throw error;
}

/** The user's contacts by id from `from`, and then from the first, up to so many. @throws DatabaseUnavailable */
export async function readContactRun(database: Database, user: Id, from: Id | '0', count: number): Promise<Id[]> {
  const found = await readContactsFrom(database, user, from, count);
  if (found.length === count || from === '0') return found;
  return [...new Set([...found, ...(await readContactsFrom(database, user, '0', count - found.length))])];
}

const NOTHING: CheckedTruth = { counts: NO_TRUTH, users: 0, uploads: 0, wrong: [] };

function judged(compared: readonly ComparedPair[]): CheckedTruth {
  const wrong = wrongOf(compared);
  const named = wrong.slice(0, NAMED).map(({ user, contact, viewSays, photosSay }) => ({
    ...{ user, contact, view_says: viewSays || null, photos_say: photosSay || null },
  }));
  return {
    counts: { pairs: compared.length, wrong: wrong.length },
    users: new Set(wrong.map(({ user }) => user)).size,
    uploads: compared.filter(({ viewSays }) => viewSays > 0).length,
    wrong: named,
  };
}

function wrongOf(compared: readonly ComparedPair[]): ComparedPair[] {
  return compared.filter(({ viewSays, photosSay }) => viewSays !== photosSay);
}

/** Of different users. */
export function together(checks: readonly CheckedTruth[]): CheckedTruth {
  return checks.reduce(
    (all, { counts, users, uploads, wrong }) => ({
      counts: { pairs: all.counts.pairs + counts.pairs, wrong: all.counts.wrong + counts.wrong },
      users: all.users + users,
      uploads: all.uploads + uploads,
      wrong: all.wrong.length < NAMED ? [...all.wrong, ...wrong].slice(0, NAMED) : all.wrong,
    }),
    NOTHING,
  );
}

/** What the views say of a pair, for people. */
export function pairText({ user, contact, view_says, photos_say }: WrongPair): string {
  const text = (at: number | null) => (at === null ? 'none' : isoTime(at));
  return `user ${user}, contact ${contact}: recency_contacts says ${text(view_says)}, recency_photos ${text(photos_say)}`;
}
