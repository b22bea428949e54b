import type { StreamPoint, StreamRecord } from '../../src/mysql/stream-record.ts';
import type { RedisClient } from '../../src/redis/connection.ts';
import { RecordedStream } from '../../src/transport/streams/recorded-stream.ts';

const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`;

/** A record beside the stream, which every process of a test that has the same place shares; no test loses it. */
export function recordInRedis(client: RedisClient, stream: string): StreamRecord {
  const key = `${stream}:record`;
  return {
    async read() {
      const kept = await client.get(key);
      return kept === null ? undefined : (JSON.parse(kept) as StreamPoint);
    },
    async replace(known, next) {
      const before = known === undefined ? '' : JSON.stringify(known);
      return (await client.eval(REPLACE, 1, key, before, JSON.stringify(next))) === 1;
    },
  };
}

/** A stream with such a record. */
export function recordedStream(client: RedisClient, stream: string): RecordedStream {
  return new RecordedStream({ client, stream, record: recordInRedis(client, stream) });
}
