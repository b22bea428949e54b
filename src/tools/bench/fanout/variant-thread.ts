/** The thread of one variant: runs requests one at a time until it is ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import pino from 'pino';
import { contactsAmong } from '../../../app/jobs.ts';
import { openStores } from '../../../app/stores.ts';
import { loadConfig } from '../../../config/config.ts';
import { childEnvironment } from '../../../config/environment.ts';
import { readProvenEpoch } from '../../../mysql/epoch.ts';
import { openDenormalisedPool } from '../../denormalised/pool.ts';
import { DenormalisedVariant } from './denormalised-variant.ts';
import { RecencyVariant } from './recency-variant.ts';
import { RecipeVariant } from './recipe-variants.ts';
import type { VariantCall, VariantReply, VariantSetup } from './threaded-variant.ts';
import { Acknowledger, type FanOutVariant } from './variant.ts';

/** Uses its own connections: the recipes' client has ioredis's default settings. */
async function openVariant({ name, settings, crowd }: VariantSetup): Promise<FanOutVariant> {
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
  const contacts = contactsAmong(stores);
  const { primary } = contacts;
  if (name === 'recency') {
    const epoch = await readProvenEpoch(primary.server);
    return new RecencyVariant(contacts, crowd.followers, epoch, acknowledger);
  }
  if (name === 'denormalised') {
    const pool = openDenormalisedPool(config.mysqlUrl);
    return new DenormalisedVariant({ pool, database: primary.server, max, acknowledger });
  }
  const variant = new RecipeVariant({ name, client, primary, prefix, max, crowd, acknowledger });
  await variant.fill();
  return variant;
}

const reply = (message: VariantReply) => parentPort?.postMessage(message);

const variant = await openVariant(workerData as VariantSetup);
parentPort?.on('message', async ({ method, args }: VariantCall) => {
  try {
    reply({ value: await (variant[method] as (...args: unknown[]) => Promise<unknown>)(...args) });
  } catch (error) {
    reply({ error: error instanceof Error ? error : new Error(String(error)) });
  }
});
reply({ value: variant.parts });
