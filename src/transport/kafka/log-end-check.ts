import type { Logger } from 'pino';
import type { KafkaEnds, KnownEnd } from '../../mysql/kafka-ends.ts';
import { Batches } from '../../timing/batches.ts';
import { pause } from '../../timing/loop.ts';
import type { Loss } from '../task-source.ts';
import type { Assignment } from './assignment.ts';
import type { TopicAdmin } from './topic-admin.ts';

interface LogEndCheckOptions {
  readonly ends: KafkaEnds;
  readonly admin: TopicAdmin;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly logger: Logger;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** A partition whose log ends before an offset that it had reached, or did so before it grew again. */
interface LostEnd {
  readonly partition: number;
  readonly known: KnownEnd;
  /** The current end of the log. */
  readonly high: bigint;
}

/** Minimum time between two checks with the brokers, ms: under load every fetch is older than the record. */
const BETWEEN_LOOKS_MS = 1_000;

/** How often partitions that receive nothing are checked, ms: kafkajs does not report an empty fetch. */
const WATCH_MS = 5_000;

/** Who has this partition, which every topic has, looks for those that are gone. */
const FIRST_PARTITION = 0;

/**
 * Detects that a partition's log has lost its end: its brokers came back with older data, an out-of-date replica leads it, or
 * the topic was created again. New messages then get offsets that others had before, and nothing in the log shows it. So
 * publishers record in MySQL the offsets that they were given, and the log is compared with that record.
 *
 * The record is always read before the brokers are asked: the log only grows, so it must have reached what was recorded by
 * then. A loss is reported before the record is set back, so that a report that fails is made again.
 */
export class LogEndCheck {
  readonly #options: LogEndCheckOptions;
  readonly #reads: Batches<void, void>;
  #known: ReadonlyMap<number, KnownEnd> = new Map();
  #looking: { readonly assignment: Assignment; readonly done: Promise<void> } | undefined;
  #nextLook = Number.NEGATIVE_INFINITY;
  /** Partitions that the topic did not have when last looked for. */
  #gone: ReadonlySet<number> = new Set();

  constructor(options: LogEndCheckOptions) {
    this.#options = options;
    this.#reads = new Batches<void, void>({
      gathers: true,
      atOnce: 1,
      work: async () => {
        this.#known = await options.ends.read();
        return [];
      },
    });
  }

  /**
   * Checks a fetch before it is delivered.
   * @param high the end of the log when it was fetched
   * @throws DatabaseUnavailable, what kafkajs throws, what `onLoss` throws
   */
  async ofFetch(assignment: Assignment, partition: number, high: bigint): Promise<void> {
    const found = await this.#missing(partition, high);
    if (found === undefined) return;
    const before = this.#looking;
    // Usually something has been published since this was fetched.
    if (before === undefined && !found.wentBack && this.#options.now() < this.#nextLook) return;
    if (before !== undefined) {
      // That check began with an older record, and perhaps for an assignment without this partition.
      await before.done.catch(() => undefined);
      if ((await this.#missing(partition, high)) === undefined) return;
    }
    await this.#look(assignment);
  }

  /** What is recorded of a partition, if that is more than the log held. */
  async #missing(partition: number, high: bigint): Promise<KnownEnd | undefined> {
    await this.#reads.run();
    const known = this.#known.get(partition);
    return known !== undefined && (high < known.end || known.wentBack) ? known : undefined;
  }

  /** Checks partitions that expect messages but get none, and those that nobody has any more, until the assignment ends. */
  async watch(assignment: Assignment): Promise<void> {
    for (;;) {
      await pause(WATCH_MS, assignment.signal);
      if (assignment.signal.aborted) return;
      try {
        await this.#reads.run();
        if (this.#isMissing(assignment)) await this.#look(assignment);
        if (assignment.partitions.has(FIRST_PARTITION)) await this.#lookForGone();
      } catch (error) {
        this.#options.logger.debug({ err: error }, 'the ends of the logs were not compared; retrying');
      }
    }
  }

  /** @throws DatabaseUnavailable */
  read(): Promise<ReadonlyMap<number, KnownEnd>> {
    return this.#options.ends.read();
  }

  /** @throws DatabaseUnavailable */
  async setBack(lost: readonly LostEnd[]): Promise<void> {
    for (const { partition, known, high } of lost) await this.#options.ends.setBack(partition, known, high);
  }

  #isMissing({ partitions }: Assignment): boolean {
    return [...partitions.values()].some(({ partition, next }) => {
      const known = this.#known.get(partition);
      return next !== undefined && known !== undefined && (known.wentBack || next < known.end);
    });
  }

  /** Partitions of an assignment that ask at the same time share one check. */
  #look(assignment: Assignment): Promise<void> {
    if (this.#looking?.assignment === assignment) return this.#looking.done;
    const looking = { assignment, done: this.#lookAt(assignment) };
    this.#looking = looking;
    const forget = () => {
      if (this.#looking === looking) this.#looking = undefined;
    };
    looking.done.then(forget, forget);
    return looking.done;
  }

  async #lookAt({ partitions }: Assignment): Promise<void> {
    const { admin, onLoss, now } = this.#options;
    const known = await this.read();
    const lost = lostIn(await admin.ends(new Set(partitions.keys())), known);
    const loss = lossOfEnds(lost);
    if (loss !== undefined) await onLoss(loss);
    await this.setBack(lost);
    // Only now: a check that failed has shown nothing, so what comes next must be checked before it is delivered.
    this.#nextLook = now() + BETWEEN_LOOKS_MS;
  }

  /** Finds partitions that the topic has no longer. Only two looks in a row prove it: the first broker may not know them yet. */
  async #lookForGone(): Promise<void> {
    const known = await this.read();
    const ends = await this.#options.admin.ends();
    const gone = lostInTopic(ends, known).filter(({ partition }) => !ends.has(partition));
    const proven = gone.filter(({ partition }) => this.#gone.has(partition));
    this.#gone = new Set(gone.map(({ partition }) => partition));
    if (proven.length === 0) return;
    const detail = proven.map(describe).join('; ');
    await this.#options.onLoss({ reason: 'end_lost', detail }); // without the partitions, which nobody could catch up with
    await this.setBack(proven);
  }
}

/**
 * Finds partitions whose end is lost.
 * @param ends the ends of the logs, including what an open transaction holds back; read them after `recorded`
 */
export function lostIn(ends: ReadonlyMap<number, bigint>, recorded: ReadonlyMap<number, KnownEnd>): LostEnd[] {
  return [...ends].flatMap(([partition, high]) => {
    const known = recorded.get(partition);
    return known !== undefined && (known.wentBack || high < known.end) ? [{ partition, known, high }] : [];
  });
}

/** The same, where one that the topic has no longer has lost everything. @param ends of all partitions of the topic */
export function lostInTopic(
  ends: ReadonlyMap<number, bigint>,
  recorded: ReadonlyMap<number, KnownEnd>,
): readonly LostEnd[] {
  const gone = [...recorded.keys()].filter((partition) => !ends.has(partition));
  return lostIn(new Map([...ends, ...gone.map((partition) => [partition, 0n] as const)]), recorded);
}

export function lossOfEnds(lost: readonly LostEnd[]): Loss | undefined {
  if (lost.length === 0) return undefined;
  const partitions = lost.map(({ partition }) => partition);
  return { reason: 'end_lost', detail: lost.map(describe).join('; '), partitions };
}

function describe({ partition, known, high }: LostEnd): string {
  const last = known.end - 1n;
  return known.wentBack && high >= known.end
    ? `partition ${partition}: offsets up to ${last} had been assigned, then lower ones were assigned again`
    : `partition ${partition}: offset ${last} had been assigned, but the log now ends at ${high}`;
}
