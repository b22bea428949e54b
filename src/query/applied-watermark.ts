import { LANES, type Lane } from '../contracts/bulk-task.ts';
import { type DrainBarrier, EVERYBODY, type RaiseBarrier } from '../index/drain-barrier.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { loop, pause, Wake } from '../timing/loop.ts';

export interface AppliedWatermarkOptions {
  /**
   * The barriers behind every change on its way to the indexes. `small`: in the outbox, in the small lane, or delayed; `bulk`: what
   * has come to the bulk lane by the time that the other one is passed.
   */
  readonly barriers: Readonly<Record<Lane, RaiseBarrier>>;
  /**
   * What is seen counts only while Redis is on record. On a copy of MySQL, or elsewhere, the epoch is another one, and others may have
   * taken the tasks.
   */
  readonly watch: Pick<RedisTrust, 'during'>;
  /** The token of the epoch in force. */
  readonly epoch: () => Promise<string>;
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Keeps what is known, to be shown by processes that start. Left out: nothing does. */
  readonly moments?: KeptMoments;
  /** Between two measurements, ms (500). */
  readonly intervalMs?: number;
  /** The same while no answer asks, ms (2,000): the first one that asks then is measured for at once, and told an older moment. */
  readonly restMs?: number;
  /** Called with why a measurement failed: a store or the transport is unavailable. */
  readonly onError?: (error: unknown) => void;
}

/** The latest moments known to be applied, as their ages in ms. */
interface KeptMoments {
  read(): Promise<Ages>;
  /** @param ages asked as late as possible */
  save(ages: () => Ages): Promise<void>;
}

type Ages = Readonly<Partial<Record<Lane, number>>>;

/** A moment, and a barrier behind what was on its way then. */
interface Raised {
  readonly at: number;
  readonly barrier: DrainBarrier;
}

const INTERVAL_MS = 500;
const REST_MS = 2_000;

/** How long after the last answer the measuring rests, ms. */
const ASKED_FOR_MS = 5_000;

/** The interval while nothing is known yet, and for how long: a process that has just started knows it as soon as can be. */
const AT_FIRST_MS = { interval: 100, through: 5_000 };

/** Barriers of a lane that wait at once: as many as are needed for a bound that is at most a third more than the lag. */
const MOST = 12;

/**
 * The latest moment known to be applied: whatever was on its way to the indexes then has been written to them. It is
 * measured in the background by drain barriers, which know every place where a change may wait, also one that a relay put
 * back or a consumer delayed. The age of that moment bounds the age of every change that is not applied yet. It is never
 * too small: a change that has just been committed, and that no measurement has seen, is younger than the moment.
 *
 * There is one moment for each lane. That of the bulk lane is never later: a change for a large audience is in the small lane first.
 *
 * While a measurement fails the bound keeps growing, and stays right. So it does when changes were lost on their way, until
 * the loss is found and a new epoch begins. Every index of that one is built from rows read after its beginning, and so has
 * what was committed before; barriers behind what is lost may never be passed.
 */
export class AppliedWatermark {
  readonly #options: AppliedWatermarkOptions;
  readonly #lanes: Readonly<Record<Lane, LaneWatermark>> = { small: new LaneWatermark(), bulk: new LaneWatermark() };
  /** The epoch when last asked, and a moment before. */
  #known: { readonly epoch: string; readonly at: number } | undefined;
  /** What processes before have kept; undefined: not read yet. */
  #kept: Readonly<Partial<Record<Lane, number>>> | undefined;
  readonly #wake = new Wake();
  #askedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AppliedWatermarkOptions) {
    this.#options = options;
  }

  /**
   * The age of the oldest change that may not be applied, as an upper bound, ms.
   * @param lane `bulk` is about every change; `small` leaves out what has been handed over to the bulk lane
   * @returns undefined: not known yet; nothing that was on its way when this process started has been seen to arrive
   */
  lagMs(lane: Lane = 'bulk'): number | undefined {
    return this.#ageOf(this.#lanes[lane].appliedAt);
  }

  /** The same for an answer, which ends a rest. */
  lagOfAnswer(): number | undefined {
    if (this.#isResting) this.#wake.now();
    this.#askedAt = this.#options.now();
    return this.lagMs();
  }

  /**
   * The same to be shown: until this process has measured, what others measured before it started. No answer relies on that,
   * because it is by Redis's clock, which may have been set back since.
   */
  lagShownMs(lane: Lane = 'bulk'): number | undefined {
    return this.lagMs(lane) ?? this.#ageOf(this.#kept?.[lane]);
  }

  #ageOf(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.#options.now() - at;
  }

  get #isResting(): boolean {
    return this.#options.now() - this.#askedAt > ASKED_FOR_MS;
  }

  /** Measures until aborted, and then returns at once, whatever a store still has to answer. */
  async run(signal: AbortSignal): Promise<void> {
    const { intervalMs = INTERVAL_MS, restMs = REST_MS, onError, now } = this.#options;
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const startedAt = now();
    const isNew = () => this.lagMs() === undefined && now() - startedAt < AT_FIRST_MS.through;
    const untilNext = () => (isNew() ? Math.min(AT_FIRST_MS.interval, intervalMs) : intervalMs);
    const round = async () => {
      const rests = this.#isResting && !isNew() && now() - this.#lookedAt < restMs;
      await (rests ? this.#seeEpoch(async () => undefined) : this.measure());
      return untilNext();
    };
    const failed = (error: unknown) => {
      if (!signal.aborted) onError?.(error);
      return untilNext();
    };
    const measuring = loop({ signal, round, onError: failed, wake: this.#wake });
    await Promise.race([signal.aborted ? pause(0) : aborted, measuring]);
  }

  /** Measures once. @throws RedisUnavailable, DatabaseUnavailable, what the transport throws */
  async measure(): Promise<void> {
    this.#kept ??= await this.#readKept();
    const before = this.#moments();
    const waiting = LANES.map((lane) => this.#lanes[lane].waiting);
    try {
      const { at, ...passed } = await this.#seeEpoch((now) => this.#look(now));
      for (const lane of LANES) this.#lanes[lane].passedAt(passed[lane]);
      this.#lookedAt = at;
    } catch (error) {
      // What was raised meanwhile was perhaps raised elsewhere.
      for (const [i, lane] of LANES.entries()) this.#lanes[lane].waitFor(waiting[i] ?? []);
      throw error;
    } finally {
      if (this.#moments().some((moment, lane) => moment !== before[lane])) await this.#keep();
    }
  }

  /**
   * @param look asked with a moment before the epoch was in force: what is committed later may be in front of a barrier raised now,
   * or behind. When it fails, the epoch has been seen all the same.
   */
  async #seeEpoch<T>(look: (at: number) => Promise<T>): Promise<T> {
    const { epoch, now, watch } = this.#options;
    const at = now();
    const [seen, [looked]] = await watch.during(async () => [await epoch(), await Promise.allSettled([look(at)])]);
    this.#see({ epoch: seen, at });
    if (looked.status === 'rejected') throw looked.reason;
    return looked.value;
  }

  /** @returns this moment, and the latest one of each lane whose barrier is passed */
  async #look(at: number): Promise<Readonly<Record<Lane, number | undefined>> & { readonly at: number }> {
    const { small, bulk } = this.#lanes;
    const { barriers } = this.#options;
    small.raised(at, await barriers.small([EVERYBODY]));
    const arrived = (await small.newestPassed()) ?? small.appliedAt;
    if (arrived !== undefined && arrived > bulk.newestAt) bulk.raised(arrived, await barriers.bulk([EVERYBODY]));
    return { at, small: arrived, bulk: await bulk.newestPassed() };
  }

  #see(now: { readonly epoch: string; readonly at: number }): void {
    const before = this.#known;
    this.#known = now;
    if (before !== undefined && before.epoch !== now.epoch) this.#passedAt(before.at);
  }

  #passedAt(at: number): void {
    for (const lane of LANES) this.#lanes[lane].passedAt(at);
  }

  #moments(): readonly (number | undefined)[] {
    return LANES.map((lane) => this.#lanes[lane].appliedAt);
  }

  async #readKept(): Promise<Readonly<Partial<Record<Lane, number>>>> {
    const { moments, now } = this.#options;
    const asked = now(); // before the answer: an age that is too great by its time stays an upper bound
    const ages = Object.entries((await moments?.read()) ?? {});
    return Object.fromEntries(ages.map(([lane, ageMs]) => [lane, asked - ageMs]));
  }

  async #keep(): Promise<void> {
    const known = LANES.filter((lane) => this.lagMs(lane) !== undefined);
    await this.#options.moments?.save(() => Object.fromEntries(known.map((lane) => [lane, this.lagMs(lane) ?? 0])));
  }
}

class LaneWatermark {
  /** Oldest first. */
  #raised: readonly Raised[] = [];
  #appliedAt: number | undefined;

  get appliedAt(): number | undefined {
    return this.#appliedAt;
  }

  /** The latest moment that is known to be applied, or waits for that. */
  get newestAt(): number {
    return this.#raised.at(-1)?.at ?? this.#appliedAt ?? Number.NEGATIVE_INFINITY;
  }

  /** The barriers that wait to be passed. */
  get waiting(): readonly Raised[] {
    return this.#raised;
  }

  waitFor(raised: readonly Raised[]): void {
    const { appliedAt = Number.NEGATIVE_INFINITY } = this;
    this.#raised = raised.filter(({ at }) => at > appliedAt);
  }

  raised(at: number, barrier: DrainBarrier): void {
    this.#raised = thinned([...this.#raised, { at, barrier }]);
  }

  /** The latest moment whose barrier, and all before, are passed. */
  async newestPassed(): Promise<number | undefined> {
    let passed: number | undefined;
    for (const { at, barrier } of this.#raised) {
      if (!(await barrier.passed())) return passed;
      passed = at;
    }
    return passed;
  }

  passedAt(at: number | undefined): void {
    if (at === undefined) return;
    this.#appliedAt = Math.max(at, this.#appliedAt ?? at);
    this.waitFor(this.#raised);
  }
}

/**
 * When there are too many, the one that is missed least is dropped: between the two that are closest together. So their
 * distance grows with the lag. The oldest, which passes first, and the newest stay.
 */
function thinned(raised: readonly Raised[]): readonly Raised[] {
  if (raised.length <= MOST) return raised;
  const gap = (place: number) => (raised[place + 1]?.at ?? 0) - (raised[place - 1]?.at ?? 0);
  let closest = 1;
  for (let place = 2; place < raised.length - 1; place++) if (gap(place) < gap(closest)) closest = place;
  return raised.toSpliced(closest, 1);
}
