/**
 * Drain barriers: has everything been processed that existed at some moment and could explain a difference?
 *
 * A comparison of an index with MySQL finds differences that are none: changes whose tasks are still on their way. An unchanged
 * nonce does not tell them apart (the task may be waiting), and neither does time. So a difference is confirmed only if it is
 * still there after every task that existed when it was first seen has been processed. A task moves from one place to the next
 * (the outbox, the transport, the delay queue), so the places are checked in that order: a barrier is raised in each only when
 * the one before it has been passed.
 *
 * New rows of the outbox and the transport drain by themselves and in order, so they are waited for as a whole. Rows that a relay
 * has put back may wait for as long as a partition has no leader, and delayed work may wait for long, perhaps for something that
 * never comes. So only the suspects that such work concerns wait for it. An index is changed contact by contact, so it concerns
 * a difference about one contact only if it is about that contact:
 *
 * - A contact is wrongly in the index, wrongly missing, or has a wrong time. Work about this very pair of user and contact may be
 *   pending. Delayed work about another contact of the same user explains nothing: it writes that contact, and a trim or
 *   a rebuild that it makes due keeps the rest correct.
 * - The index as a whole is wrong (too small for its floor, say). Any work about the user may fix that, because each
 *   write completes the rebuild that it makes due.
 */
import type { Id } from '../contracts/id.ts';

/** A difference to be explained or confirmed: whose index differs, and about which contact. */
export interface Suspect {
  /** Undefined: every user. */
  readonly user: Id | undefined;
  /** Undefined: the index as a whole. */
  readonly contact: Id | undefined;
}

/** Waits for all work. */
export const EVERYBODY: Suspect = { user: undefined, contact: undefined };

export interface DrainBarrier {
  /**
   * Checks whether everything that the suspects wait for has been processed. Once true, always true.
   * @throws RedisUnavailable, DatabaseUnavailable, what the transport throws
   */
  passed(): Promise<boolean>;
  /** Was this suspect still waiting for something at the last check? */
  holds(suspect: Suspect): boolean;
}

/** Raises a barrier behind what exists now. @throws as `passed` */
export type RaiseBarrier = (suspects: readonly Suspect[]) => Promise<DrainBarrier>;

/** A place where work waits that only some suspects wait for. */
export interface PendingSource {
  /**
   * The work that is waiting or being done and could change what these indexes say, for each suspect, as the work's ids.
   * Suspects without any may be left out.
   * @throws RedisUnavailable, DatabaseUnavailable
   */
  pendingFor(suspects: readonly Suspect[]): Promise<PendingWork>;
}

export type PendingWork = ReadonlyMap<SuspectKey, ReadonlySet<string>>;

/** A suspect as a text; equal suspects have equal keys. */
export type SuspectKey = string;

export function keyOf({ user = '', contact = '' }: Suspect): SuspectKey {
  return `${user} ${contact}`;
}

/** A barrier that every suspect waits for until it is passed. @param ask has it been passed? Not asked again once it has */
export function sharedBarrier(ask: () => Promise<boolean>): DrainBarrier {
  let isPassed = false;
  const passed = async () => {
    isPassed ||= await ask();
    return isPassed;
  };
  return { passed, holds: () => !isPassed };
}

/**
 * A barrier that each suspect passes when the work that was pending for it is gone, and then the work that was pending at that
 * moment: work that was running at first may have read MySQL before the change, and may have delayed itself again.
 */
export function pendingBarrier(...places: readonly PendingSource[]): RaiseBarrier {
  const work = inAll(places);
  return async (suspects) => {
    const first = await work.pendingFor(suspects);
    const waiting = suspects.flatMap((suspect) => {
      const left = first.get(keyOf(suspect)) ?? NOTHING;
      return left.size > 0 ? [{ suspect, key: keyOf(suspect), left, isSecond: false }] : [];
    });
    return new PendingBarrier(work, waiting);
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Several places as one. They are asked in order, so that work which moves on to the next place meanwhile is found there. */
function inAll(places: readonly PendingSource[]): PendingSource {
  const pendingFor = async (suspects: readonly Suspect[]) => {
    const pending = new Map<SuspectKey, ReadonlySet<string>>();
    for (const place of places) {
      for (const [key, ids] of await place.pendingFor(suspects)) {
        pending.set(key, new Set([...(pending.get(key) ?? NOTHING), ...ids]));
      }
    }
    return pending;
  };
  return { pendingFor };
}

interface WaitingSuspect {
  readonly suspect: Suspect;
  readonly key: SuspectKey;
  /** The work of the first moment, or then of the second, that is still pending. */
  readonly left: ReadonlySet<string>;
  readonly isSecond: boolean;
}

class PendingBarrier implements DrainBarrier {
  readonly #work: PendingSource;
  #waiting: ReadonlyMap<SuspectKey, WaitingSuspect>;

  constructor(work: PendingSource, waiting: readonly WaitingSuspect[]) {
    this.#work = work;
    this.#waiting = byKey(waiting);
  }

  async passed(): Promise<boolean> {
    if (this.#waiting.size === 0) return true;
    const waiting = [...this.#waiting.values()];
    const now = await this.#work.pendingFor(waiting.map(({ suspect }) => suspect));
    this.#waiting = byKey(waiting.map((one) => remaining(one, now)).filter(({ left }) => left.size > 0));
    return this.#waiting.size === 0;
  }

  holds(suspect: Suspect): boolean {
    return this.#waiting.has(keyOf(suspect));
  }
}

function byKey(waiting: readonly WaitingSuspect[]): ReadonlyMap<SuspectKey, WaitingSuspect> {
  return new Map(waiting.map((one) => [one.key, one]));
}

function remaining(waiting: WaitingSuspect, found: PendingWork): WaitingSuspect {
  const now = found.get(waiting.key) ?? NOTHING;
  const left = new Set([...waiting.left].filter((id) => now.has(id)));
  if (left.size > 0 || waiting.isSecond) return { ...waiting, left };
  return { ...waiting, left: now, isSecond: true };
}

/**
 * A barrier that leads through several places, in order: a barrier is raised in each when the one before it has been passed.
 * Suspects that a place does not hold go on without those that it holds.
 */
export function inTurn(places: readonly RaiseBarrier[]): RaiseBarrier {
  return async (suspects) => {
    const barrier = new BarriersInTurn(places);
    await barrier.enter(suspects);
    return barrier;
  };
}

/** Suspects that wait at the same place. */
interface Group {
  readonly suspects: readonly Suspect[];
  readonly place: number;
  readonly barrier: DrainBarrier;
}

class BarriersInTurn implements DrainBarrier {
  readonly #places: readonly RaiseBarrier[];
  #groups: readonly Group[] = [];
  #held: ReadonlySet<SuspectKey> = new Set();

  constructor(places: readonly RaiseBarrier[]) {
    this.#places = places;
  }

  async enter(suspects: readonly Suspect[]): Promise<void> {
    this.#stand(await this.#groupsAt(0, suspects));
  }

  async passed(): Promise<boolean> {
    // Suspects that go on to the next place are checked there at once.
    for (let asked = 0; asked < this.#groups.length; ) {
      const group = this.#groups[asked] as Group;
      const { staying, going } = await ask(group);
      const stays = staying.length > 0 ? [{ ...group, suspects: staying }] : [];
      const further = await this.#groupsAt(group.place + 1, going);
      this.#stand(this.#groups.toSpliced(asked, 1, ...stays, ...further));
      asked += stays.length;
    }
    return this.#groups.length === 0;
  }

  holds(suspect: Suspect): boolean {
    return this.#held.has(keyOf(suspect));
  }

  /** Raises the place's barrier for the suspects. Returns no group if there are no suspects, or no more places. */
  async #groupsAt(place: number, suspects: readonly Suspect[]): Promise<Group[]> {
    const raise = this.#places[place];
    if (raise === undefined || suspects.length === 0) return [];
    return [{ suspects, place, barrier: await raise(suspects) }];
  }

  #stand(groups: readonly Group[]): void {
    this.#groups = groups;
    this.#held = new Set(groups.flatMap((group) => group.suspects.map(keyOf)));
  }
}

async function ask({ suspects, barrier }: Group): Promise<{ staying: readonly Suspect[]; going: readonly Suspect[] }> {
  if (await barrier.passed()) return { staying: [], going: suspects };
  const { true: staying = [], false: going = [] } = Object.groupBy(suspects, (one) => `${barrier.holds(one)}`);
  return { staying, going };
}
