import { expect, it } from 'vitest';
import { NotReady } from '../../src/api/readiness.ts';
import { checkedPublisher, relayChecks } from '../../src/app/checks.ts';
import type { Database } from '../../src/mysql/database.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { StreamNotOnRecord } from '../../src/transport/streams/recorded-stream.ts';

const TEXT = 'this is not the stream on record';
const lost = () => Promise.reject(new StreamNotOnRecord(TEXT));

it('readiness says that the stream is not the one on record, whether it is asked or published to', async () => {
  const { check, publish } = checkedPublisher({ publish: lost, checkRoom: async () => undefined });
  await expect(publish([])).rejects.toThrow(StreamNotOnRecord);
  const checks = relayChecks({} as Database, { answers: lost }, check);
  await expect(checks.transport?.()).rejects.toThrow(new NotReady(TEXT));
  await expect(checks.publishing?.()).rejects.toThrow(new NotReady(TEXT));
});

it('readiness does not say what another error says, which may be confidential', async () => {
  const away = () => Promise.reject(new RedisUnavailable('redis://:password@10.0.0.1'));
  const { transport } = relayChecks({} as Database, { answers: away }, async () => undefined);
  await expect(transport?.()).rejects.toThrow(RedisUnavailable);
});
