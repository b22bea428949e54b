import { setTimeout as pause } from 'node:timers/promises';
import { RedisFanOutCursors } from '../../../index/redis/fan-out-cursors.ts';
import { poll } from '../../harness/poll.ts';
import type { ServiceProcess } from '../../harness/processes/process-group.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { World } from '../world.ts';

export interface KillReport {
  readonly name: string;
  readonly followers: number;
  /** Followers that the fan-out had done when its consumer was killed; 0 if none was running. */
  readonly doneBefore: number;
  /** Whether another consumer continued after those, instead of starting over. */
  readonly resumed: boolean;
  /** From the kill until the fan-out continued. */
  readonly seconds: number;
}

const LOOK_MS = 5;

/** If the cursor does not move for this many page times, its consumer is the stopped one. */
const PAGES = 3;
const LONGEST_LOOK_MS = 500;

/** Time for the upload to reach a consumer through the outbox and the transport. */
const BEGIN_TIMEOUT_MS = 20_000;

/** Time until a dead consumer's work is reassigned: its group session must expire first. */
const RESUME_TIMEOUT_MS = 90_000;

/**
 * The star uploads a photo; the consumer that runs the fan-out is killed halfway, and a new one is started. Resolves
 * when the fan-out has continued, or at once if it was too short to be interrupted.
 */
export async function killConsumer(world: World): Promise<KillReport> {
  const { services, cast } = world;
  const at = Date.now();
  await world.journal.upload(cast.star, 0, at, () => uploadPhoto(world.pool, cast.star, 0, at));
  await until(world, (progress) => progress > 0, BEGIN_TIMEOUT_MS);
  const victim = await whoWorks(world, services.consumers, await pageTime(world));
  await services.killConsumer(victim);
  const killedAt = performance.now();
  const doneBefore = await progressOf(world);
  await services.startConsumer();
  const report = { name: victim.name, followers: cast.followersOfStar.length, doneBefore };
  if (doneBefore === 0) return { ...report, resumed: false, seconds: 0 };
  await until(world, (progress) => progress !== doneBefore, RESUME_TIMEOUT_MS);
  const seconds = (performance.now() - killedAt) / 1000;
  const progress = await progressOf(world);
  return { ...report, resumed: progress === 0 || progress > doneBefore, seconds };
}

/** Followers that the star's fan-out has done, by its cursor; 0 without a cursor. */
async function progressOf({ redis, namespace, cast }: World): Promise<number> {
  const [cursor] = await new RedisFanOutCursors(redis, namespace.config.keyPrefix).loadCursors([cast.star]);
  return cursor === undefined ? 0 : cast.followersOfStar.indexOf(cursor.after) + 1;
}

/** What one page of followers currently takes, ms. */
async function pageTime(world: World): Promise<number> {
  const progress = await progressOf(world);
  const from = performance.now();
  await until(world, (next) => next !== progress, LONGEST_LOOK_MS);
  return performance.now() - from;
}

/** Finds the consumer that runs the fan-out: the cursor stops moving when it is stopped. */
async function whoWorks(world: World, consumers: readonly ServiceProcess[], pageMs: number): Promise<ServiceProcess> {
  const [first, ...others] = consumers;
  if (first === undefined) throw new Error('there is no consumer to kill');
  first.signal('SIGSTOP');
  await pause(LOOK_MS);
  const before = await progressOf(world);
  await pause(Math.min(PAGES * pageMs, LONGEST_LOOK_MS));
  const standsStill = before > 0 && (await progressOf(world)) === before;
  if (standsStill) return first;
  first.signal('SIGCONT');
  return others[0] ?? first;
}

/** Polls the progress until the condition holds or the time is up. */
async function until(world: World, condition: (progress: number) => boolean, timeoutMs: number): Promise<void> {
  await poll(() => progressOf(world), condition, { everyMs: LOOK_MS, timeoutMs, signal: world.signal });
}
