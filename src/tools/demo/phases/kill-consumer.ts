import { setTimeout as pause } from 'node:timers/promises';
import { RedisFanOutCursors } from '../../../index/redis/fan-out-cursors.ts';
import type { ServiceProcess } from '../../harness/processes/process-group.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { World } from '../world.ts';

export interface KillReport {
  readonly name: string;
  readonly followers: number;
  /** Followers that the fan-out had done when its consumer was killed; 0: there was none under way. */
  readonly doneBefore: number;
  /** Another consumer went on behind those, and not at the first one. */
  readonly resumed: boolean;
  /** From the kill until the fan-out went on. */
  readonly seconds: number;
}

const LOOK_MS = 5;

/** A cursor that stands still for so many times what a page takes is nobody's. */
const PAGES = 3;
const LONGEST_LOOK_MS = 500;

/** For the upload to get through the outbox and the transport to a consumer. */
const BEGIN_TIMEOUT_MS = 20_000;

/** Until a dead consumer's work is given to another: the session of its group must end first. */
const RESUME_TIMEOUT_MS = 90_000;

/**
 * The star uploads a photo; the consumer that tells the followers is killed in the middle of it, and a new one is
 * started. Resolves when the fan-out went on or, where it was too short to be caught, at once.
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
  return { ...report, resumed: await wentOn(world, doneBefore), seconds };
}

/** Behind the place where it stood, or done by now. */
async function wentOn(world: World, doneBefore: number): Promise<boolean> {
  const progress = await progressOf(world);
  return progress === 0 || progress > doneBefore;
}

/** Followers that the star's fan-out has done, by its cursor; 0: there is none. */
async function progressOf({ redis, namespace, cast }: World): Promise<number> {
  const [cursor] = await new RedisFanOutCursors(redis, namespace.config.keyPrefix).loadCursors([cast.star]);
  return cursor === undefined ? 0 : cast.followersOfStar.indexOf(cursor.after) + 1;
}

/** What a page of followers takes just now, ms. */
async function pageTime(world: World): Promise<number> {
  const progress = await progressOf(world);
  const from = performance.now();
  await until(world, (next) => next !== progress, LONGEST_LOOK_MS);
  return performance.now() - from;
}

/** The one without whom the cursor stands still. */
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

/** Looks at the progress until the condition is met, not longer than that. */
async function until(world: World, condition: (progress: number) => boolean, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!condition(await progressOf(world)) && performance.now() < deadline) {
    await pause(LOOK_MS, undefined, { signal: world.signal });
  }
}
