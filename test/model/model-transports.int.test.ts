/**
 * The histories of test/model/model.int.test.ts on both real transports: three consumers of the product's own on real sources,
 * with messages shuffled, held back and sent twice in front of them; FLUSHALL takes a stream away with everything else.
 * The transport decides what is delivered when; the seed determines everything else. So a failing history may pass when it
 * is replayed. MODEL_SEED, MODEL_PATH, MODEL_REPLAY and MODEL_HISTORIES as there.
 */
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { freshDatabase, freshName, freshTopic, hasKafka, kafkaBrokers } from '../support/servers.ts';
import { Arena, type ArenaOptions } from './arena.ts';
import { askedFor, playHistories } from './campaign.ts';
import { RealCarrier } from './real-carrier.ts';

const asked = askedFor(process.env, 1, 30);
const TIME_LIMIT_MS = asked.isLong ? asked.histories * 20_000 : 20_000;

let redis: RunningServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.remove());

function describeHistories(name: string, openCarrier: NonNullable<ArenaOptions['openCarrier']>): void {
  describe(`random histories on ${name}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      const mysqlUrl = await freshDatabase();
      await migrate({ url: mysqlUrl, kinds: KINDS });
      arena = await Arena.open({ mysqlUrl, redisUrl: redis.url, prefix: freshName(), openCarrier });
    });
    afterAll(() => arena?.close());

    it('end equal to plain SQL, whatever happens on the way', { timeout: TIME_LIMIT_MS + 600_000 }, async () => {
      const played = await playHistories(arena, {
        ...asked,
        commands: asked.isLong ? 1_000 : 200,
        timeLimitMs: TIME_LIMIT_MS,
        shrinkLimitMs: 60_000,
        test: `test/model/model-transports.int.test.ts -t '${name}'`,
      });
      expect(played.deliveries).toBeGreaterThan(0);
      console.log(name, played);
    });
  });
}

describeHistories('Redis Streams', (prefix, random) =>
  RealCarrier.open({ kind: 'streams', url: redis.url, stream: `${prefix}:{tasks}:stream` }, random),
);

describe.runIf(hasKafka())('with a broker', () => {
  describeHistories('Kafka', async (_prefix, random) => {
    const topic = await freshTopic({ partitions: 3 });
    return await RealCarrier.open({ kind: 'kafka', brokers: kafkaBrokers(), topic }, random);
  });
});
