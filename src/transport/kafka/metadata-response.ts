import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';

/**
 * kafkajs 2.2.4 takes the whole answer about a topic for an error when one partition has no leader. Then a producer learns
 * nothing of the other partitions, and cannot send to them. Within `allowingLeaderless`, such a partition is kept in the
 * answer instead, with the leader −1 that the broker gives it; every other error is still one. So is it for who asks about
 * all topics of a cluster, as kafkajs does when an administrator connects. Consumers do not ask for it: they would not look
 * for the leader again for minutes.
 */

interface Metadata {
  readonly topicMetadata: readonly { readonly partitionMetadata: { partitionErrorCode: number }[] }[];
}

interface Response {
  parse(data: Metadata): Promise<Metadata>;
}

/** https://kafka.apache.org/protocol#protocol_error_codes */
const LEADER_NOT_AVAILABLE = 5;
const NONE = 0;

const VERSIONS = [0, 1, 2, 3, 4, 5, 6];

const allowing = new AsyncLocalStorage<true>();

/** What a client asks for within this work may name partitions without a leader. */
export function allowingLeaderless<T>(work: () => Promise<T>): Promise<T> {
  return allowing.run(true, work);
}

const load = createRequire(import.meta.url);
for (const version of VERSIONS) {
  const response = load(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`) as Response;
  const { parse } = response;
  if (typeof parse !== 'function') {
    throw new Error('kafkajs reads metadata in another way: it must be the version in the lock file');
  }
  response.parse = (data) => {
    if (allowing.getStore()) forgive(data);
    return parse(data);
  };
}

function forgive({ topicMetadata }: Metadata): void {
  for (const partition of topicMetadata.flatMap(({ partitionMetadata }) => partitionMetadata)) {
    if (partition.partitionErrorCode === LEADER_NOT_AVAILABLE) partition.partitionErrorCode = NONE;
  }
}
