import { Redis } from 'ioredis';
import pino from 'pino';
import { openStores } from '../../../app/stores.ts';
import { childEnvironment } from '../../../config/child-environment.ts';
import { loadConfig } from '../../../config/config.ts';
import { readPairs } from '../../../mysql/pairs.ts';
import type { Place } from '../../harness/place.ts';
import { Acknowledger } from './acknowledger.ts';
import type { ArmName, FanOutArm } from './arm.ts';
import type { Crowd } from './crowd.ts';
import { RecencyArm } from './recency-arm.ts';
import { PipelinedRecipeArm, RawZaddArm, RecipeArm } from './recipe-arms.ts';

/** Where an arm works, and for whom. */
export interface ArmGround {
  readonly name: ArmName;
  readonly settings: Place['settings'];
  readonly crowd: Crowd;
}

const RECIPES = { recipe: RecipeArm, recipe_pipelined: PipelinedRecipeArm, raw_zadd: RawZaddArm };

/** On connections of its own: the recipes' client has the settings that ioredis has by itself. */
export async function openArm({ name, settings, crowd }: ArmGround): Promise<FanOutArm> {
  const config = loadConfig(childEnvironment(settings));
  const { redisUrl, keyPrefix: prefix, max } = config;
  const client = new Redis(redisUrl);
  const acknowledger = await Acknowledger.on(client, `${prefix}:fanout:${name}`);
  const opening = {
    config,
    logger: pino({ level: 'silent' }),
    resources: new AsyncDisposableStack(),
    signal: new AbortController().signal,
  };
  const stores = await openStores(opening, { name: 'bench' });
  const { primary } = stores;
  if (name === 'recency') {
    const { epoch } = await readPairs(primary, []);
    return new RecencyArm(stores, crowd.followers, epoch, acknowledger);
  }
  const arm = new RECIPES[name]({ client, primary, prefix, max, crowd, acknowledger });
  await arm.fill();
  return arm;
}
