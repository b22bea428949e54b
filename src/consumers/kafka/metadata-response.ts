import { createRequire } from 'node:module';

/**
 * kafkajs 2.2.4 takes the whole answer about a topic for an error when one partition has no leader. Then no client learns
 * anything of the other partitions, and nobody can publish to them or read them. Such a partition is kept in the answer
 * instead, with the leader −1 that the broker gives it; every other error is still one.
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

const load = createRequire(import.meta.url);
for (const version of VERSIONS) {
  const response = load(`kafkajs/src/protocol/requests/metadata/v${version}/response.js`) as Response;
  const { parse } = response;
  if (typeof parse !== 'function') {
    throw new Error('kafkajs reads metadata in another way: it must be the version in the lock file');
  }
  response.parse = (data) => {
    for (const { partitionMetadata } of data.topicMetadata) {
      for (const partition of partitionMetadata) {
        if (partition.partitionErrorCode === LEADER_NOT_AVAILABLE) partition.partitionErrorCode = NONE;
      }
    }
    return parse(data);
  };
}
