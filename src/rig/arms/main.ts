/**
 * Serves one arm of a comparison in a process of its own. Argument: `sql` or `recipe`. It says where by sending
 * `{ url }` to the process that started it, and ends on SIGTERM.
 */
import process from 'node:process';
import { startApi } from '../../api/listen.ts';
import { loadConfig } from '../../config/config.ts';
import { openLogger } from '../../start/logger.ts';
import { openPrimary } from '../../start/open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from '../../start/open-redis.ts';
import { type ProcessContext, runProcess } from '../../start/run-process.ts';
import { armApp } from './arm-app.ts';
import { Recipe } from './recipe.ts';
import { RecipeIndex } from './recipe-index.ts';
import { PlainSql } from './sql.ts';

const [, , name = ''] = process.argv;

const config = loadConfig();
await runProcess({ config, logger: openLogger(config, name) }, startArm);

async function startArm({ logger, resources, signal }: ProcessContext): Promise<void> {
  const database = resources.adopt(openPrimary(config), (opened) => opened.close());
  const redis = resources.adopt(openRedisClient(config, name, logger), closeRedis);
  await untilRedisAnswers(redis, config, signal);
  const now = () => performance.now();
  const index = new RecipeIndex(redis, { prefix: config.keyPrefix, max: config.max });
  const arm = name === 'recipe' ? new Recipe(index, database, now) : new PlainSql(database, now);
  const { host, port, tokens = [] } = config;
  const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
  const api = await startApi({ app: armApp(arm, logger), host, port, tokens, onError });
  resources.defer(async () => {
    await api.close(0);
  });
  process.send?.({ url: api.url });
}
