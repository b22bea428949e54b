import { loop } from '../../../timing/loop.ts';

/** Where a change can be seen after its commit, in this order, unless a part of the way is faster than another. */
export const STATIONS = ['published', 'applied', 'answered'] as const;
export type Station = (typeof STATIONS)[number];

/** The way of one change. */
export interface FollowedChange {
  /** A sentence. */
  readonly what: string;
  /** Duration of its transaction, ms. */
  readonly transactionMs: number;
  /** When it was seen at each station, ms after the commit; undefined: not yet. A station that cannot be seen is missing. */
  readonly seen: ReadonlyMap<Station, number | undefined>;
}

export interface ChangeToFollow {
  readonly what: string;
  readonly transactionMs: number;
  /** Whether it has passed the station. One that throws has not. */
  readonly looks: Readonly<Partial<Record<Station, () => Promise<boolean>>>>;
}

/** Between two looks, ms; later, when something has been broken and nothing is to be measured, fewer. */
const EVERY_MS = 5;
const LATER_MS = 250;
const FINE_FOR_MS = 2_000;

/** Follows the latest change from its commit to an answer. */
export class TaskWay {
  readonly #now: () => number;
  readonly #signal: AbortSignal;
  #latest: { what: string; transactionMs: number; seen: Map<Station, number | undefined> } | undefined;
  #following = new AbortController();

  /** @param now ms, monotonic */
  constructor(now: () => number, signal: AbortSignal) {
    this.#now = now;
    this.#signal = signal;
  }

  get latest(): FollowedChange | undefined {
    return this.#latest;
  }

  /** Follows this change from now on, right after its commit, and the one before no longer. */
  follow({ what, transactionMs, looks }: ChangeToFollow): void {
    this.#following.abort();
    this.#following = new AbortController();
    const signal = AbortSignal.any([this.#following.signal, this.#signal]);
    const committedAt = this.#now();
    const stations = STATIONS.filter((station) => looks[station] !== undefined);
    const seen = new Map<Station, number | undefined>(stations.map((station) => [station, undefined]));
    this.#latest = { what, transactionMs, seen };
    for (const station of stations) {
      const look = looks[station] ?? (async () => false);
      void this.#watch(look, (at) => seen.set(station, at - committedAt), signal);
    }
  }

  /** Looks until it has passed, another change is followed, or the page ends. */
  async #watch(look: () => Promise<boolean>, onPassed: (at: number) => void, signal: AbortSignal): Promise<void> {
    const passing = new AbortController();
    const from = this.#now();
    const waitMs = () => (this.#now() - from < FINE_FOR_MS ? EVERY_MS : LATER_MS);
    const round = async () => {
      if (!(await look()) || signal.aborted) return waitMs();
      onPassed(this.#now());
      passing.abort();
      return 0;
    };
    await loop({ signal: AbortSignal.any([passing.signal, signal]), round, onError: waitMs });
  }
}
