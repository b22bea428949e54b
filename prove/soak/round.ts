import { setTimeout as pause } from 'node:timers/promises';
import { readClock } from '../../src/mysql/outbox.ts';
import type { Shown, Wrong } from '../../src/tools/demo/play/judge.ts';
import { LISTS, Reader } from '../../src/tools/demo/play/reader.ts';
import { Stage } from '../../src/tools/demo/play/stage.ts';
import { runWriters } from '../../src/tools/demo/play/writers.ts';
import { pick } from '../../src/tools/demo/random.ts';
import { settle } from '../../src/tools/harness/stores.ts';
import { findWrong, findWrongAfterReplay } from './at-rest.ts';
import { disturb } from './disturb.ts';
import { giveUpHopeless, untilTrusted } from './transport-faults.ts';
import type { World } from './world.ts';

const WRITERS = 8;
const CHANGES_A_SECOND = 250;
const READERS = 3;
const READS_A_SECOND = 150;

/**
 * One round: people use the site, the API is read, and disturbances happen; then everything comes to rest.
 * @returns descriptions of what was wrong
 */
export async function playRound(world: World, playMs: number): Promise<string[]> {
  const { stores, diary, counts } = world;
  diary.note(`round ${counts.rounds + 1}`);
  const from = await readClock(stores.primary);
  const wrong = await play(world, playMs);
  wrong.push(...(await findWrong(world)));
  wrong.push(...(await findWrongAfterReplay(world, from, () => rest(world))));
  counts.rounds++;
  counts.wrong += wrong.length;
  return wrong;
}

/** Reads until everything is at rest. @returns violations of I7 */
async function play(world: World, playMs: number): Promise<string[]> {
  const { signal, counts, diary, stores, journal, cast, groups, random, api } = world;
  const wrong: string[] = [];
  const onWrong = (found: Wrong, shown: Shown) => {
    wrong.push(`I7: ${found}: ${JSON.stringify(shown)}`);
  };
  const stage = new Stage({ pool: stores.pool, journal, random, players: cast.players, groups });
  const everybody = [...cast.players, cast.star, ...cast.measured.map(({ user }) => user)];
  const nextUser = () => (random() < 0.1 ? pick(random, everybody) : stage.anyPlayer());
  const now = () => performance.now();
  const reader = new Reader({ client: api, lists: LISTS, journal, random, nextUser, onWrong, now });
  const onChange = () => {
    counts.changes++;
  };
  const over = new AbortController();
  const enough = new AbortController(); // AbortSignal.any does not keep a signal of AbortSignal.timeout from being collected
  const timer = setTimeout(() => enough.abort(), playMs);
  const ending = AbortSignal.any([over.signal, signal, enough.signal]);
  const reading = AbortSignal.any([over.signal, signal]);
  try {
    const reads = reader.run(READERS, READS_A_SECOND, reading);
    const writes = runWriters({ stage, atOnce: WRITERS, rate: CHANGES_A_SECOND, onChange }, ending);
    const played = Promise.all([writes, disturb(world, ending)]);
    await Promise.race([reads, played.then(() => rest(world))]);
    over.abort();
    await Promise.all([reads, played]);
  } finally {
    clearTimeout(timer);
    enough.abort();
    over.abort();
    const { reads, narrowed, refused } = reader.counts;
    counts.reads += reads;
    counts.narrowed += narrowed;
    counts.refused += refused;
  }
  if (reader.counts.reads === 0) throw new Error('not one question was answered');
  diary.note('at rest');
  return wrong;
}

const LOOK_MS = 20;
const SETTLED_MS = 60_000;

/** Waits until everything in flight is applied, including what relays send twice and what the last reads requested. */
async function rest(world: World): Promise<void> {
  const { crew, counts, signal } = world;
  await settleAfterAll(world);
  while (crew.held > 0) await pause(LOOK_MS, undefined, { signal });
  await settleAfterAll(world);
  await crew.untilReady(signal); // one that replaces a killed API is about to be asked
  Object.assign(counts, await crew.countDone());
}

const GIVE_UP_MS = 200;

/** Deletes re-checks that can never succeed; otherwise they would be waited for. */
async function givingUp(world: Pick<World, 'stores'>, pending: Promise<void>): Promise<void> {
  const timer = setInterval(() => void giveUpHopeless(world).catch(() => undefined), GIVE_UP_MS);
  await pending.finally(() => clearInterval(timer));
}

/**
 * Redis may have just been killed, and this process may not have reconnected yet; and a member of the group may have been killed whose
 * partitions have lost tasks: nobody finds that before its session ends.
 */
async function settleAfterAll({ stores, signal }: World): Promise<void> {
  const deadline = performance.now() + SETTLED_MS;
  for (;;) {
    try {
      await givingUp({ stores }, settle(stores.strictBarrier, signal));
      await untilTrusted({ stores, signal });
      return await givingUp({ stores }, settle(stores.strictBarrier, signal));
    } catch (error) {
      if (signal.aborted || performance.now() > deadline) throw error;
      await pause(LOOK_MS, undefined, { signal });
    }
  }
}
