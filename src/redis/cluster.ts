import { Cluster } from 'ioredis';
import type { TlsMaterial } from '../config/tls.ts';

/**
 * A cluster's client that says at once when the keys of one command are on two nodes (TRYAGAIN), because their slot is
 * moving. ioredis would send it again and again, to nodes at random; whoever sent it can do better: ask for fewer keys.
 */
class PlainCluster extends Cluster {
  override handleError(...[error, ttl, handlers]: Parameters<Cluster['handleError']>): void {
    if (error.message.startsWith('TRYAGAIN')) handlers.defaults();
    else super.handleError(error, ttl, handlers);
  }
}

/** Of the connection to each node, as ioredis names them; times in ms. */
export interface NodeOptions {
  readonly connectionName: string;
  readonly commandTimeout: number;
  readonly socketTimeout: number;
  readonly connectTimeout: number;
  readonly maxRetriesPerRequest: number;
  readonly enableReadyCheck: boolean;
}

/** ioredis sends a command again so often at the most. */
const TRIES = 16;

/**
 * Connects to a cluster. Does not wait.
 * @param urls of some of its nodes; user, password and TLS are those of the first
 * @param common options of the connections to every node
 * @param pause ms until the next attempt to connect, by their number
 * @param tls for addresses that ask for it
 */
export function openCluster(
  urls: readonly string[],
  common: NodeOptions,
  pause: (times: number) => number,
  tls: TlsMaterial = {},
): Cluster {
  const { username, password, protocol } = new URL(String(urls[0]));
  // While a node is away, a command is sent again for no longer than it may take.
  const retryMs = common.commandTimeout / TRIES;
  return new PlainCluster([...urls], {
    enableOfflineQueue: false,
    clusterRetryStrategy: pause,
    maxRedirections: TRIES,
    retryDelayOnClusterDown: retryMs,
    retryDelayOnFailover: retryMs,
    redisOptions: {
      ...common,
      ...(username ? { username: decodeURIComponent(username) } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: { ...tls } } : {}),
    },
  });
}
