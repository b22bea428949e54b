/**
 * Serves one variant of a comparison in its own process. Argument: its name. It sends `{ url }` to its parent and ends
 * on SIGTERM.
 */
import process from 'node:process';
import type { Express } from 'express';
import { startApi } from '../../../api/listen.ts';
import { openPrimary } from '../../../app/open-mysql.ts';
import { closeRedis, openRedisClient, untilRedisAnswers } from '../../../app/open-redis.ts';
import { type ProcessContext, runProcess } from '../../../app/run-process.ts';
import { loadConfig } from '../../../config/config.ts';
import { CONTACTS } from '../../../contracts/kind.ts';
import { KindStatements } from '../../../mysql/statements/kind-statements.ts';
import { siteOf } from '../../../site/site.ts';
import { openLogger } from '../../../tracing/logger.ts';
import { Denormalised } from './denormalised.ts';
import { Recipe, RecipeIndex } from './recipe.ts';
import { PlainSql } from './sql.ts';
import { SERVED_VARIANTS, type ServedVariant } from './start-variant.ts';
import { emptyApp, variantApp } from './variant-app.ts';

const name = SERVED_VARIANTS.find((one) => one === process.argv[2]);
if (name === undefined) throw new RangeError(`there is no variant '${process.argv[2]}'`);

const config = loadConfig();
await runProcess({ config, logger: openLogger(config, name) }, (context) => startVariant(context, name));

async function startVariant(context: ProcessContext, variant: ServedVariant): Promise<void> {
  const { logger, resources } = context;
  const { host, port, tokens = [] } = config;
  const onError = (err: Error) => logger.error({ err }, 'a connection could not be accepted');
  const api = await startApi({ app: await appOf(context, variant), host, port, tokens, onError });
  resources.defer(async () => {
    await api.close(0);
  });
  process.send?.({ url: api.url });
}

async function appOf({ logger, resources, signal }: ProcessContext, variant: ServedVariant): Promise<Express> {
  if (variant === 'empty_route') return emptyApp();
  const server = resources.adopt(openPrimary(config), (opened) => opened.close());
  const database = { server, statements: new KindStatements(siteOf(config), CONTACTS) };
  const now = () => performance.now();
  if (variant === 'sql') return variantApp(new PlainSql(database, now), logger);
  if (variant === 'denormalised') return variantApp(new Denormalised(database, now), logger);
  const redis = resources.adopt(openRedisClient(config, variant, logger), closeRedis);
  await untilRedisAnswers(redis, { config, signal, logger });
  const index = new RecipeIndex(redis, { prefix: config.keyPrefix, max: config.max });
  return variantApp(new Recipe(index, database, now, variant === 'recipe' ? 'view' : 'hinted'), logger);
}
