import { Redis } from 'ioredis';
import { PROBE_TIMEOUT, type Probe } from './probe.ts';

/** Asks the Redis server at the URL for its version. Throws when it does not answer in time, or is still loading. */
export async function probeRedis(url: string): Promise<Probe> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: PROBE_TIMEOUT,
    commandTimeout: PROBE_TIMEOUT,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  redis.on('error', (error: Error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return describe(await redis.info('server'));
  } catch (error) {
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}

function describe(info: string): Probe {
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
  return { product: 'Redis', version: field('redis_version'), identity: field('process_id') };
}
