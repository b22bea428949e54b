/**
 * Has everything that existed at some moment, and could explain a difference, been processed by now?
 *
 * Whoever compares an index with MySQL sees differences that are none: changes whose tasks are still on their way. A
 * nonce that stands still does not tell them apart (the task may be waiting), and neither does time. So a difference is
 * confirmed only if it is still there after every task that existed at first sight was processed. A task exists in one
 * place after the other (the outbox, the transport, the delay queue), so the places are gone through in that order, and
 * a barrier is put up in each only when the one before it has been passed.
 *
 * New rows of the outbox and the transport drain by themselves and in order, so they are waited for as a whole. Rows that a
 * relay has put back (PutBackRows) may wait for as long as a partition has no leader, and work that was put off
 * may wait for long, and for something that never comes; it is waited for only by whom it concerns. An index is changed
 * contact by contact, so it concerns a user's difference about one contact only if it is about that contact:
 *
 * - A contact is wrongly in the index, wrongly not in it, or there with a wrong time. Work about this very pair of user
 *   and contact may be to come. What is put off about another contact of the same user explains nothing: it writes that
 *   one, and a trim or a rebuild that it makes due keeps the rest right.
 * - The index as a whole is not as it must be (too small for its floor, say). Whatever is to be done for the user may fix
 *   that, because each write has a due rebuild done before it counts as finished.
 */
import type { Id } from '../contracts/id.ts';

/** Whose index differs, and about whom. */
export interface Suspect {
  /** Undefined: everybody. */
  readonly user: Id | undefined;
  /** Undefined: the index as a whole. */
  readonly contact: Id | undefined;
}

/** Who waits for all work there is. */
export const EVERYBODY: Suspect = { user: undefined, contact: undefined };

export interface DrainBarrier {
  /**
   * Asks whether everything that the suspects wait for is processed. Once true, always true.
   * @throws RedisUnavailable, DatabaseUnavailable, what the transport throws
   */
  passed(): Promise<boolean>;
  /** Does this suspect still wait for something, by the last answer? */
  holds(suspect: Suspect): boolean;
}

/** Puts up a barrier behind what exists now. @throws as `passed` */
export type RaiseBarrier = (suspects: readonly Suspect[]) => Promise<DrainBarrier>;

/** Work that was put off, wherever it is kept. */
export interface PendingSource {
  /**
   * What waits or is being done that could change what these indexes say: of each suspect, by the work's identity.
   * Suspects for whom there is nothing may be left out.
   * @throws RedisUnavailable, DatabaseUnavailable
   */
  pendingFor(suspects: readonly Suspect[]): Promise<PendingWork>;
}

export type PendingWork = ReadonlyMap<SuspectKey, ReadonlySet<string>>;

/** A suspect as a text: the same for equal ones. */
export type SuspectKey = string;

export function keyOf({ user = '', contact = '' }: Suspect): SuspectKey {
  return `${user} ${contact}`;
}

/** A barrier that holds everybody until it is passed. */
export function sharedBarrier(ask: () => Promise<boolean>): DrainBarrier {
  let isPassed = false;
  const passed = async () => {
    isPassed ||= await ask();
    return isPassed;
  };
  return { passed, holds: () => !isPassed };
}

/**
 * Passed by each suspect when what was put off for them is gone, and then what was there at that moment: work in hand at
 * the first may have read MySQL before the change, and have put itself back for later.
 */
export function pendingBarrier(...places: readonly PendingSource[]): RaiseBarrier {
  const work = inAll(places);
  return async (suspects) => {
    const first = await work.pendingFor(suspects);
    const waiting = suspects.flatMap((suspect) => {
      const left = first.get(keyOf(suspect)) ?? NOTHING;
      return left.size > 0 ? [{ suspect, key: keyOf(suspect), left, isSecond: false }] : [];
    });
    return new PutOffBarrier(work, waiting);
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Asked one after the other: work that moves on to the next place meanwhile is found there. */
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

interface Waiting {
  readonly suspect: Suspect;
  readonly key: SuspectKey;
  /** What of the first, or then of the second, moment is still there. */
  readonly left: ReadonlySet<string>;
  readonly isSecond: boolean;
}

class PutOffBarrier implements DrainBarrier {
  readonly #work: PendingSource;
  #waiting: ReadonlyMap<SuspectKey, Waiting>;

  constructor(work: PendingSource, waiting: readonly Waiting[]) {
    this.#work = work;
    this.#waiting = byKey(waiting);
  }

  async passed(): Promise<boolean> {
    if (this.#waiting.size === 0) return true;
    const waiting = [...this.#waiting.values()];
    const now = await this.#work.pendingFor(waiting.map(({ suspect }) => suspect));
    this.#waiting = byKey(waiting.map((one) => goneOn(one, now)).filter(({ left }) => left.size > 0));
    return this.#waiting.size === 0;
  }

  holds(suspect: Suspect): boolean {
    return this.#waiting.has(keyOf(suspect));
  }
}

function byKey(waiting: readonly Waiting[]): ReadonlyMap<SuspectKey, Waiting> {
  return new Map(waiting.map((one) => [one.key, one]));
}

function goneOn(waiting: Waiting, found: PendingWork): Waiting {
  const now = found.get(waiting.key) ?? NOTHING;
  const left = new Set([...waiting.left].filter((id) => now.has(id)));
  if (left.size > 0 || waiting.isSecond) return { ...waiting, left };
  return { ...waiting, left: now, isSecond: true };
}

/**
 * One place after the other, a barrier put up in each when the one before it was passed. Suspects whom a place does not
 * hold go on without those whom it does.
 */
export function inTurn(places: readonly RaiseBarrier[]): RaiseBarrier {
  return async (suspects) => {
    const barrier = new BarriersInTurn(places);
    await barrier.enter(suspects);
    return barrier;
  };
}

/** Suspects who are at the same place. */
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
    // Who goes on to the next place is asked there at once.
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

  /** None where there are no suspects, or no places any more. */
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
