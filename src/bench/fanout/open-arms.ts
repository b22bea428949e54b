import type { Redis } from 'ioredis';
import { readPairs } from '../../mysql/pairs.ts';
import type { Ground } from '../ground.ts';
import { Acknowledger } from './acknowledger.ts';
import type { FanOutArm } from './arm.ts';
import type { Crowd } from './crowd.ts';
import { RecencyArm } from './recency-arm.ts';
import { PipelinedRecipeArm, RawZaddArm, RecipeArm } from './recipe-arms.ts';

/** In the order of their turns. @param client with the settings that ioredis has by itself */
export async function openArms({ stores, place }: Ground, client: Redis, crowd: Crowd): Promise<FanOutArm[]> {
  const { keyPrefix: prefix, max } = place.config;
  const { primary } = stores;
  const acknowledger = await Acknowledger.on(client, `${prefix}:fanout`);
  const { epoch } = await readPairs(primary, []);
  const options = { client, primary, prefix, max, crowd, acknowledger };
  const others = [new RecipeArm(options), new PipelinedRecipeArm(options), new RawZaddArm(options)];
  for (const arm of others) await arm.fill();
  return [new RecencyArm(stores, crowd.followers, epoch, acknowledger), ...others];
}
