import { randomUUID } from 'node:crypto';
import type { Id } from '../../../contracts/id.ts';
import { chunks } from '../../../timing/batches.ts';
import type { OutgoingTask, TaskPublisher } from '../../../transport/task-publisher.ts';
import { settle } from '../../harness/stores.ts';
import { shuffled } from '../random.ts';
import type { World } from '../world.ts';

export interface BurstReport {
  /** Tasks sent before, not counted below. */
  readonly warmUp: number;
  readonly tasks: number;
  readonly tasksPerSecond: number;
  /** Of all consumers together, bytes. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

const TASKS_A_CALL = 500;

/** Tasks per warm-up round, as a share of the measured ones. */
const WARM_UP = 0.5;
const MOST_ROUNDS = 6;

/** The memory is level when a round lets it grow by less than this. */
const LEVEL = 1.05;

const SOURCE = '/recency/demo';

/**
 * Publishes tasks at once, each for another pair of a user with an index and a contact, and waits until the consumers
 * have applied all. Warm-up bursts come first: one of the consumers has just started, and Node grows its memory in
 * steps.
 */
export async function burst(world: World, publisher: TaskPublisher, tasks: number): Promise<BurstReport> {
  const warmUp = await untilMemoryLevels(world, publisher, Math.ceil(tasks * WARM_UP));
  const measured = tasksOf(world, tasks);
  const memoryBefore = await world.services.consumersMemory();
  const from = performance.now();
  await apply(world, publisher, measured);
  const seconds = (performance.now() - from) / 1000;
  const memoryAfter = await world.services.consumersMemory();
  return { warmUp, tasks: measured.length, tasksPerSecond: measured.length / seconds, memoryBefore, memoryAfter };
}

/** @returns the number of tasks sent */
async function untilMemoryLevels(world: World, publisher: TaskPublisher, tasks: number): Promise<number> {
  let memory = 0;
  for (let round = 1; ; round++) {
    const before = memory;
    await apply(world, publisher, tasksOf(world, tasks));
    memory = await world.services.consumersMemory();
    if (round === MOST_ROUNDS || memory < before * LEVEL) return round * tasks;
  }
}

async function apply({ raiseBarrier, signal }: World, publisher: TaskPublisher, tasks: readonly OutgoingTask[]) {
  for (const some of chunks(tasks, TASKS_A_CALL)) await publisher.publish(some);
  await settle(raiseBarrier, signal);
}

/** If there are fewer pairs than tasks, the pairs repeat. */
function tasksOf({ random, journal, cast }: World, count: number): OutgoingTask[] {
  const pairs = shuffled(
    random,
    [...cast.players, ...cast.followersOfStar].flatMap((user) => pairsOf(journal, user)),
  );
  return Array.from({ length: Math.min(count, pairs.length > 0 ? count : 0) }, (_, i) => {
    const [user, contact] = pairs[i % pairs.length] as [Id, Id];
    const task = { type: 'recency.contact.changed', user, contact } as const;
    return { task, id: randomUUID(), source: SOURCE, time: Date.now() };
  });
}

function pairsOf(journal: World['journal'], user: Id): [Id, Id][] {
  return journal.contactsOf(user).flatMap(([contact, { active }]) => (active ? [[user, contact]] : []));
}
