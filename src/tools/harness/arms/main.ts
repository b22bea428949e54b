/**
 * Serves one arm of a comparison in a process of its own. Argument: its name. It says where by sending `{ url }` to the
 * process that started it, and ends on SIGTERM.
 */
import process from 'node:process';
import type { Express } from 'express';
import { startApi } from '../../../api/listen.ts';
import { openLogger } from '../../../app/logger.ts';
import { openPrimary } from '../../../app/open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from '../../../app/open-redis.ts';
import { type ProcessContext, runProcess } from '../../../app/run-process.ts';
import { loadConfig } from '../../../config/config.ts';
import { armApp } from './arm-app.ts';
import { emptyApp } from './empty-app.ts';
import { Recipe } from './recipe.ts';
import { RecipeIndex } from './recipe-index.ts';
import { SERVED_ARMS, type ServedArm } from './served-arm.ts';
import { PlainSql } from './sql.ts';

const name = SERVED_ARMS.find((one) => one === process.argv[2]);
if (name === undefined) throw new RangeError(`there is no arm '${process.argv[2]}'`);

const config = loadConfig();
await runProcess({ config, logger: openLogger(config, name) }, (context) => startArm(context, name));

async function startArm(context: ProcessContext, arm: ServedArm): Promise<void> {
  const { logger, resources } = context;
  const { host, port, tokens = [] } = config;
  const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
  const api = await startApi({ app: await appOf(context, arm), host, port, tokens, onError });
  resources.defer(async () => {
    await api.close(0);
  });
  process.send?.({ url: api.url });
}

async function appOf({ logger, resources, signal }: ProcessContext, arm: ServedArm): Promise<Express> {
  if (arm === 'empty_route') return emptyApp();
  const database = resources.adopt(openPrimary(config), (opened) => opened.close());
  const now = () => performance.now();
  if (arm === 'sql') return armApp(new PlainSql(database, now), logger);
  const redis = resources.adopt(openRedisClient(config, arm, logger), closeRedis);
  await untilRedisAnswers(redis, { config, signal, logger });
  const index = new RecipeIndex(redis, { prefix: config.keyPrefix, max: config.max });
  return armApp(new Recipe(index, database, now, arm === 'recipe' ? 'view' : 'hinted'), logger);
}
