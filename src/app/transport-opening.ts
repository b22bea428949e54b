import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../mysql/database.ts';
import type { OneCluster } from '../transport/kafka/one-cluster.ts';

/** What is needed to open a lane of a transport. */
export interface TransportOpening {
  readonly config: Config;
  /** Name of the process, for the servers' lists. */
  readonly name: string;
  readonly logger: Logger;
  /** Records what was published, outside the transport. */
  readonly primary: Database;
  /** Of Kafka; all lanes share it. */
  readonly cluster: OneCluster;
}
