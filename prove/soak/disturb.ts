import { setTimeout as pause } from 'node:timers/promises';
import { between, pick } from '../../src/tools/demo/random.ts';
import { DISTURBANCES, type Disturbance } from './disturbances.ts';
import type { World } from './world.ts';

const DRAWN = DISTURBANCES.flatMap((one) => Array<Disturbance>(one.weight).fill(one));

/** Pause between two disturbances, ms. */
const [SHORTEST, LONGEST] = [50, 1_000];

/** Disturbs the site repeatedly until aborted; resolves when the last disturbance has ended. */
export async function disturb(world: World, signal: AbortSignal): Promise<void> {
  const { random } = world;
  const going: Promise<void>[] = [];
  while (!signal.aborted) {
    await pause(between(random, SHORTEST, LONGEST), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const one = pick(random, DRAWN);
    const happened = befall(world, one, signal);
    happened.catch(() => undefined); // handled below
    going.push(happened);
    if (one.goesOn === undefined) await happened;
  }
  await Promise.all(going);
}

async function befall(world: World, { name, kills, happen }: Disturbance, signal: AbortSignal): Promise<void> {
  const { diary, counts } = world;
  diary.note(name);
  if (kills) counts.kills++;
  else counts.add(name);
  const more = await happen(world, signal);
  if (more !== undefined) diary.note(`${name}: ${more}`);
}
