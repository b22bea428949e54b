import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Lanes } from '../../../app/consume.ts';
import type { Id } from '../../../contracts/id.ts';
import { KeyNames } from '../../../index/redis/keys.ts';
import { quantile } from '../../harness/latency.ts';
import type { NewContact } from '../../reference-site/load-graph.ts';
import type { Ground } from '../bench.ts';
import { type Circle, contactsOf } from '../circle.ts';
import { ContactChanges, shuffledByStep } from '../contact-changes.ts';
import { rounded } from '../report.ts';
import { fanOutOf, Workers } from './workers.ts';

export interface ContactLatencySize {
  /** Contact tasks a second. */
  readonly rate: number;
  /** Of each turn, quiet and busy. */
  readonly seconds: number;
  readonly rounds: number;
  /** Processes where both lanes are worked together: as many as where they are apart, which is two, to be compared. */
  readonly together: number;
}

export interface ContactLatencyRow {
  readonly part: 'contacts';
  /** `together`: processes with both lanes each; `apart`: one process for each lane. */
  readonly lanes: 'together' | 'apart';
  /** `busy`: one photo of the celebrity after the other is fanned out. */
  readonly load: 'quiet' | 'busy';
  readonly tasks: number;
  /** From a commit until the index shows it. */
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** Photos fanned out meanwhile. */
  readonly fan_outs: number;
}

/** How long it takes until an added or removed contact is in, or out of, an index, with and without a large fan-out. */
export async function measureContactLatency(
  ground: Ground,
  { star, circle }: { readonly star: Id; readonly circle: Circle },
  { rate, seconds, rounds, together }: ContactLatencySize,
): Promise<ContactLatencyRow[]> {
  const { stores, signal } = ground;
  const pairs = circle.users.flatMap((_, position) => contactsOf(circle.users, position, circle.contacts));
  const changes = new ContactChanges(stores.pool, shuffledByStep(pairs));
  await using watcher = new IndexWatcher(ground);
  const arms = LANES.flatMap((lanes) => LOADS.map((load) => ({ lanes, load, times: [] as number[], turns: 0 })));
  const take = async (load: ContactLatencyRow['load'], forSeconds: number, times: number[]) => {
    const rest = () => pause(forSeconds * 1000, undefined, { signal });
    const ending = new AbortController();
    const either = AbortSignal.any([ending.signal, signal]);
    const changing = changes.run(rate, either, (changed) => watcher.expect(changed, times));
    const work = load === 'quiet' ? rest : () => fanOutOf(star, ground);
    const turns = await repeatFor(forSeconds, work, changing).finally(() => ending.abort());
    await changing;
    await watcher.untilSeen(signal);
    return turns;
  };
  for (let round = 0; round < rounds; round++) {
    for (const lanes of LANES) {
      await using workers = new Workers(ground);
      const processes: readonly Lanes[] = lanes === 'apart' ? ['small', 'bulk'] : Array(together).fill('both');
      await Promise.all(processes.map((one) => workers.add(1, one)));
      await take('busy', seconds / 4, []); // warms the new processes up
      for (const arm of arms.filter((other) => other.lanes === lanes)) {
        arm.turns += await take(arm.load, seconds, arm.times);
        const p99 = Math.round(quantile(arm.times, 0.99));
        ground.progress(`lanes ${lanes}, ${arm.load}: p99 ${p99} ms of ${arm.times.length} tasks`);
      }
    }
  }
  return arms.map(({ lanes, load, times, turns }) => {
    const ms = (q: number) => rounded(quantile(times, q), 3);
    return {
      ...{ part: 'contacts', lanes, load, tasks: times.length },
      ...{ p50_ms: ms(0.5), p99_ms: ms(0.99), max_ms: ms(1), fan_outs: load === 'busy' ? turns : 0 },
    };
  });
}

const LOADS = ['quiet', 'busy'] as const;
const LANES = ['together', 'apart'] as const;

/** Works again and again, until the time is over and what is worked on is done. @returns how often */
async function repeatFor(seconds: number, work: () => Promise<unknown>, beside: Promise<unknown>): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let turns = 0;
  do {
    await Promise.race([work(), beside]);
    turns++;
  } while (performance.now() < until);
  return turns;
}

interface Expected extends NewContact {
  readonly isIn: boolean;
  readonly committedAt: number;
  readonly times: number[];
}

const LOOK_MS = 3;
const PATIENCE_MS = 60_000;

/** Looks at the indexes of those whose contacts have changed, until each shows its change. */
class IndexWatcher implements AsyncDisposable {
  readonly #client: Redis;
  readonly #names: KeyNames;
  readonly #out = new Set<string>();
  readonly #watching: Promise<void>;
  #expected: Expected[] = [];
  #isOver = false;
  #failure: unknown;

  constructor({ namespace }: Ground) {
    this.#client = new Redis(namespace.config.redisUrl);
    this.#names = new KeyNames(namespace.config.keyPrefix);
    this.#watching = this.#watch().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** These relationships have just been ended, or begun again. @param times gets the ms until each is seen */
  expect(changed: readonly NewContact[], times: number[]): void {
    const committedAt = performance.now();
    for (const pair of changed) {
      const name = `${pair.user} ${pair.contact}`;
      const isIn = this.#out.delete(name);
      if (!isIn) this.#out.add(name);
      this.#expected.push({ ...pair, isIn, committedAt, times });
    }
  }

  /** @throws Error when a change is not seen in time */
  async untilSeen(signal: AbortSignal): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (this.#expected.length > 0) {
      if (this.#failure !== undefined) throw this.#failure;
      if (performance.now() > until) throw new Error(`${this.#expected.length} changes are in no index`);
      await pause(LOOK_MS, undefined, { signal });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#watching;
    this.#client.disconnect();
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const asked = this.#expected;
      const pipeline = this.#client.pipeline();
      for (const { user, contact } of asked) pipeline.zscore(this.#names.set(user), contact);
      const replies = (await pipeline.exec()) ?? [];
      const seenAt = performance.now();
      const isSeen = asked.map(({ isIn }, i) => (replies[i]?.[1] !== null) === isIn);
      for (const [i, { times, committedAt }] of asked.entries()) if (isSeen[i]) times.push(seenAt - committedAt);
      this.#expected = [...asked.filter((_, i) => !isSeen[i]), ...this.#expected.slice(asked.length)];
      await pause(LOOK_MS);
    }
  }
}
