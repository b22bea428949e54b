import { EVERYBODY } from '../../../index/drain-barrier.ts';
import { poll, until } from '../../harness/poll.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { World } from '../world.ts';

export interface KillReport {
  readonly name: string;
  readonly followers: number;
  /** Was the fan-out in progress when the consumer was killed? */
  readonly wasUnderway: boolean;
  /** From the kill until the fan-out was done. */
  readonly seconds: number;
}

const LOOK_MS = 5;

/** Time for the upload to reach the bulk lane through the outbox and the small lane. */
const BEGIN_TIMEOUT_MS = 20_000;

/** Time until it is done: a dead consumer's segment is given to another when its group session has expired. */
const DONE_TIMEOUT_MS = 90_000;

/**
 * The star, who has a large audience, uploads a photo; a consumer is killed while the audience is worked through, and a new one
 * is started. Resolves when the bulk lane is empty. An audience of a single page never gets there: the consumer is killed when it
 * is done.
 */
export async function killConsumer(world: World): Promise<KillReport> {
  const { services, cast, signal, bulkLag } = world;
  const [victim] = services.consumers;
  if (victim === undefined) throw new Error('there is no consumer to kill');
  const at = Date.now();
  await world.journal.upload(cast.star, 0, at, () => uploadPhoto(world.pool, cast.star, 0, at));
  const applied = await world.raiseBarrier([EVERYBODY]);
  let wasUnderway = false;
  const look = async () => {
    wasUnderway = ((await bulkLag()) ?? 0) > 0;
    return wasUnderway || (await applied.passed());
  };
  await poll(look, Boolean, { everyMs: LOOK_MS, timeoutMs: BEGIN_TIMEOUT_MS, signal });
  await services.killConsumer(victim);
  const killedAt = performance.now();
  await services.startConsumer();
  const options = { everyMs: LOOK_MS, timeoutMs: DONE_TIMEOUT_MS, signal };
  await until('The audience of the star was not worked through', bulkLag, (lag) => lag === 0, options);
  const seconds = (performance.now() - killedAt) / 1000;
  return { name: victim.name, followers: cast.followersOfStar.length, wasUnderway, seconds };
}
