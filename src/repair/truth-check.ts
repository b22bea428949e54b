/**
 * Compares `last_upload_at` of `recency_contacts` with `recency_photos`: drift of the class `truth`. The site defines both
 * views, so a difference is the site's fault. No index shows it, because indexes and plain SQL both rely on the column, and
 * no rebuild removes it.
 *
 * All contacts of a user are compared with what was read of their photos up to a minute before, because the same uploader
 * is a contact of many users. That only finds suspects: a pair counts as wrong when one statement, which reads both views
 * from one snapshot, sees them contradict one another. So a site that writes the column in the photo's transaction is
 * never accused, whatever commits meanwhile.
 */
import { LRUCache } from 'lru-cache';
import { isoTime } from '../contracts/http.ts';
import type { Id } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { RawContact } from '../mysql/statements/all-contacts.ts';
import {
  AUDIENCES,
  type Audiences,
  type ComparedPair,
  comparePairs,
  readNewestOf,
} from '../mysql/statements/compared-pairs.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { lastUploadOf } from '../mysql/statements/last-upload.ts';
import { type Pair, readContactsFrom } from '../mysql/statements/pairs.ts';
import { audiencesOf } from '../mysql/statements/photos.ts';
import { concernsOnlyItems, HalvedBatches, MAX_SLOW_ITEMS } from './adaptive-batches.ts';
import { addCounts, NO_TRUTH, type TruthCounts } from './counts.ts';

/** A pair for which the two views disagree. Times in ms since 1970 UTC; null: no upload. */
export interface WrongPair extends Pair {
  readonly view_says: number | null;
  readonly photos_say: number | null;
}

export interface CheckedTruth {
  readonly counts: TruthCounts;
  /** Users with a wrong pair. */
  readonly users: number;
  /** Pairs that have an upload, according to `recency_contacts`. */
  readonly uploads: number;
  /** Pairs that MySQL could not read, or not in time. */
  readonly unread: number;
  /** The first few. */
  readonly wrong: readonly WrongPair[];
}

export interface TruthStores {
  readonly primary: KindDatabase;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** ms, monotonic. */
  readonly now: () => number;
  /** Deadline of a statement of up to a thousand pairs, ms (5,000). A slower one is split. */
  readonly aloneMs?: number | undefined;
}

const DEADLINE_MS = 5_000;

/** Maximum uploaders or pairs in one statement. */
const AT_ONCE = 1_000;

/** Uploaders whose photos' times are remembered, and for how many ms. */
const REMEMBERED = { max: 50_000, ttl: 60_000 };

/** Maximum wrong pairs named by one check. */
const NAMED = 20;

/** Beyond the heads: this many contacts of this many users of a page are compared as well. */
const SPOTS = { users: 5, contacts: 100 };

export class TruthCheck {
  readonly #database: KindDatabase;
  readonly #random: () => number;
  readonly #deadlineMs: number;
  /** By uploader, the time of the newest photo of each audience. */
  readonly #newest: LRUCache<Id, readonly number[]>;
  readonly #masks = new LRUCache<string, readonly number[]>({ max: 1_000 });
  readonly #batches = new HalvedBatches(AT_ONCE);
  #audiences: Audiences = AUDIENCES[0];

  constructor({ primary, random, now, aloneMs = DEADLINE_MS }: TruthStores) {
    this.#database = primary;
    this.#random = random;
    this.#deadlineMs = aloneMs;
    this.#newest = new LRUCache({ ...REMEMBERED, perf: { now } });
  }

  /** Compares every related contact of a user. @param rows all rows of the user @throws DatabaseUnavailable */
  async ofRows(user: Id, rows: readonly RawContact[]): Promise<CheckedTruth> {
    const related = rows.filter((row) => row.related);
    this.#includeAudiences(related);
    const suspects = new Set<Id>();
    let failed = 0;
    for (let from = 0; from < related.length; from += AT_ONCE) {
      const some = related.slice(from, from + AT_ONCE);
      if (failed < MAX_SLOW_ITEMS) failed += await this.#remember(some.map(({ id }) => id));
      for (const row of some) if (this.#isSuspect(row)) suspects.add(row.id);
    }
    const checked = await this.ofPairs([...suspects].map((contact) => ({ user, contact })));
    const { wrong } = checked.counts;
    const uploads = related.filter(({ lastUploadAt }) => lastUploadOf(lastUploadAt) > 0).length;
    return { ...checked, counts: { pairs: related.length - checked.unread, wrong }, uploads };
  }

  /** Compares those of the pairs who are related. @throws DatabaseUnavailable, the signal's reason */
  async ofPairs(pairs: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    const byKey = new Map(pairs.map((pair) => [`${pair.user} ${pair.contact}`, pair]));
    const { done, left } = await this.#batches.each([...byKey.values()], (some) => this.#compare(some), signal);
    return judge(done.flat(), left);
  }

  /**
   * Compares the given pairs, and up to a hundred more contacts of a few of the users, whether in the head or not: a last
   * upload that is too low keeps a contact out of every head.
   * @throws DatabaseUnavailable, the signal's reason
   */
  async ofHeads(users: readonly Id[], heads: readonly Pair[], signal?: AbortSignal): Promise<CheckedTruth> {
    const anyUser = () => users[Math.floor(this.#random() * users.length)] ?? '0';
    const waiting = [...users];
    const others: Pair[] = [];
    for (let spots = 0; spots < SPOTS.users && waiting.length > 0; spots++) {
      const [user = '0'] = waiting.splice(Math.floor(this.#random() * waiting.length), 1);
      const run = readContactRun(this.#database, user, anyUser(), SPOTS.contacts);
      const contacts = (await run.catch(undefinedIfUnreadable)) ?? [];
      others.push(...contacts.map((contact) => ({ user, contact })));
    }
    return await this.ofPairs([...heads, ...others], signal);
  }

  /** Reads both views of these pairs in one statement. */
  async #compare(pairs: readonly Pair[]): Promise<ComparedPair[]> {
    for (;;) {
      const audiences = this.#audiences;
      const rows = await comparePairs(this.#database, pairs, audiences, this.#deadlineMs);
      this.#includeAudiences(rows);
      if (this.#audiences === audiences) return rows;
    }
  }

  /** Makes the statements include every audience that these rows mention. */
  #includeAudiences(rows: readonly { readonly sees: string }[]): void {
    const highest = rows.reduce((most, { sees }) => Math.max(most, this.#audiencesIn(sees).at(-1) ?? 0), 0);
    const needed = AUDIENCES.find((audiences) => audiences > highest) ?? AUDIENCES[AUDIENCES.length - 1];
    if (needed === undefined || needed <= this.#audiences) return;
    this.#audiences = needed;
    this.#newest.clear();
  }

  /** @returns how many uploaders could not be read: their pairs become suspects */
  async #remember(uploaders: readonly Id[]): Promise<number> {
    const unknown = [...new Set(uploaders.filter((uploader) => !this.#newest.has(uploader)))];
    const { left } = await this.#batches.each(unknown, async (some) => {
      const audiences = this.#audiences;
      const newest = await readNewestOf(this.#database, some, audiences, this.#deadlineMs);
      if (this.#audiences !== audiences) return; // more audiences are needed by now: these become suspects
      for (const [uploader, times] of newest) this.#newest.set(uploader, times);
    });
    return left;
  }

  #isSuspect({ id, sees, lastUploadAt }: RawContact): boolean {
    const times = this.#newest.get(id);
    if (times === undefined) return true; // not read, or evicted
    const photosSay = this.#audiencesIn(sees).reduce((latest, audience) => Math.max(latest, times[audience] ?? 0), 0);
    return photosSay !== lastUploadOf(lastUploadAt);
  }

  /** The audiences in a bitmask, lowest first. */
  #audiencesIn(sees: string): readonly number[] {
    const known = this.#masks.get(sees);
    if (known !== undefined) return known;
    const audiences = audiencesOf(sees).map(Number);
    this.#masks.set(sees, audiences);
    return audiences;
  }
}

/** For a check that leaves out what MySQL cannot read, or not in time. */
export function undefinedIfUnreadable(error: unknown): undefined {
  if (!concernsOnlyItems(error)) throw error;
}

/** Up to `count` of the user's contacts by id from `from`, continuing with the first. @throws DatabaseUnavailable */
export async function readContactRun(database: KindDatabase, user: Id, from: Id | '0', count: number): Promise<Id[]> {
  const found = await readContactsFrom(database, user, from, count);
  if (found.length === count || from === '0') return found;
  return [...new Set([...found, ...(await readContactsFrom(database, user, '0', count - found.length))])];
}

function judge(compared: readonly ComparedPair[], unread: number): CheckedTruth {
  const wrong = compared.filter(({ viewSays, photosSay }) => viewSays !== photosSay);
  return {
    counts: { pairs: compared.length, wrong: wrong.length },
    users: new Set(wrong.map(({ user }) => user)).size,
    uploads: compared.filter(({ viewSays }) => viewSays > 0).length,
    unread,
    wrong: wrong.slice(0, NAMED).map(({ user, contact, viewSays, photosSay }) => {
      return { user, contact, view_says: viewSays || null, photos_say: photosSay || null };
    }),
  };
}

/** The sum of checks of different users. */
export function addTruth(checks: readonly CheckedTruth[]): CheckedTruth {
  const total = (count: (check: CheckedTruth) => number) => checks.reduce((sum, check) => sum + count(check), 0);
  return {
    counts: checks.reduce((sum, { counts }) => addCounts(sum, counts), NO_TRUTH),
    users: total(({ users }) => users),
    uploads: total(({ uploads }) => uploads),
    unread: total(({ unread }) => unread),
    wrong: checks.flatMap(({ wrong }) => wrong).slice(0, NAMED),
  };
}

/** What the views of a kind say about a pair, for people. */
export function pairText({ user, contact, view_says, photos_say }: WrongPair, kind: Kind = CONTACTS): string {
  const text = (at: number | null) => (at === null ? 'none' : isoTime(at));
  const { singular, view, photosView } = kind;
  return `user ${user}, ${singular} ${contact}: ${view} says ${text(view_says)}, ${photosView} ${text(photos_say)}`;
}
