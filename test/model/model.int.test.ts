/**
 * Random histories of a site of five people, on real servers: real transactions of the site; the product's own consumers,
 * delayed workers, relay, queries, rebuilds and repair; tasks delivered in any order, late and twice; processes stopped
 * and killed between any two steps; commands refused, done twice, their replies lost; keys evicted, expired, flushed or of
 * the wrong type; Redis failing over to an older state; tasks lost; new epochs. One step is done at a time, and
 * fast-check's scheduler picks it: the seed determines the whole history.
 *
 * At every write: I6, I9, and that no outdated state is written. At every read: I7. At rest, in between and at the end:
 * I1 to I4, I8, I9 against plain SQL; at the end also I5.
 *
 * A failing history is shrunk, and printed with the command that replays it step by step:
 *
 *     MODEL_SEED=… MODEL_PATH=… MODEL_REPLAY=… npx vitest run test/model/model.int.test.ts
 *
 * MODEL_HISTORIES=500 plays more of them, MODEL_LOG=debug shows what the product logs. Here tasks are carried in a bag, so
 * that the seed also determines when each is delivered; test/model/model-transports.int.test.ts plays such histories on both transports,
 * and `npm run prove -- --soak MINUTES` with real processes.
 */
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUPS, KINDS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { type RunningServer, startRedis } from '../../src/tools/devservers/start-server.ts';
import { freshDatabase, freshName } from '../support/servers.ts';
import { leaveOutUploads } from '../support/without-uploads.ts';
import { Arena } from './arena.ts';
import { askedFor, playHistories } from './campaign.ts';

const asked = askedFor(process.env, 1, 200);
const TIME_LIMIT_MS = asked.isLong ? asked.histories * 10_000 : 15_000;

/** The same in every run. */
const KNOWN = { seed: 7_431, histories: 1 };

let arena: Arena;
let redis: RunningServer;

beforeAll(async () => {
  const mysqlUrl = await freshDatabase();
  await migrate({ url: mysqlUrl, kinds: KINDS });
  await leaveOutUploads(mysqlUrl, [GROUPS]); // so that the last uploads come from a column and from the photos in the same histories
  redis = await startRedis();
  arena = await Arena.open({ mysqlUrl, redisUrl: redis.url, prefix: freshName() });
});
afterAll(async () => {
  await arena?.close();
  await redis?.remove();
});

const play = (which: Partial<typeof asked>) =>
  playHistories(arena, {
    ...asked,
    ...which,
    commands: asked.isLong ? 1_000 : 400,
    timeLimitMs: TIME_LIMIT_MS,
    shrinkLimitMs: 120_000,
    test: 'test/model/model.int.test.ts',
  });

describe('histories', { timeout: TIME_LIMIT_MS + 600_000 }, () => {
  it('at random end equal to plain SQL, whatever happens on the way', async () => {
    const played = await play({});
    expect(played.deliveries).toBeGreaterThan(0);
    console.log('played', played);
  });

  it.skipIf(asked.seed !== undefined)('that are the same in every run do, too', async () => {
    expect((await play(KNOWN)).deliveries).toBeGreaterThan(0);
  });
});
