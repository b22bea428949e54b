/**
 * Random histories of a site of five people, on real servers: real transactions of the site; the product's own consumers,
 * delayed workers, relay, queries, rebuilds and repair; tasks delivered in any order, late and twice; processes stopped
 * and killed between any two steps; commands refused, done twice, their replies lost; keys evicted, expired, flushed or of
 * the wrong type; Redis failing over to an older state; tasks lost; new epochs. One step is done at a time, and
 * fast-check's scheduler says whose: a seed tells the whole history.
 *
 * At every write: I6, I9, and that nobody writes what was over. At every read: I7. At rest, in between and at the end:
 * I1 to I4, I8, I9 against plain SQL; at the end also I5.
 *
 * A history that goes wrong is shrunk, and printed with what plays just that one again, step by step the same:
 *
 *     MODEL_SEED=… MODEL_PATH=… MODEL_REPLAY=… npx vitest run test/model.int.test.ts
 *
 * MODEL_HISTORIES=500 plays more of them, MODEL_LOG=debug shows what the product logs. The same for minutes, and on both
 * transports: `npm run prove -- --soak MINUTES`.
 */
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../src/mysql/migrate.ts';
import { Arena } from './model/arena.ts';
import { playHistories, type Replay } from './model/campaign.ts';
import { freshDatabase, freshPrefix, redisUrl } from './support/servers.ts';

const { MODEL_SEED, MODEL_PATH, MODEL_REPLAY, MODEL_HISTORIES } = process.env;
const HISTORIES = Number(MODEL_HISTORIES ?? 12);
const TIME_LIMIT_MS = MODEL_HISTORIES === undefined ? 15_000 : HISTORIES * 10_000;

function replayOf(seed: string | undefined, path: string | undefined): Replay | undefined {
  return seed === undefined || path === undefined ? undefined : { seed: Number(seed), path, commands: MODEL_REPLAY };
}

let arena: Arena;

beforeAll(async () => {
  const mysqlUrl = await freshDatabase();
  await migrate({ url: mysqlUrl });
  arena = await Arena.open({ mysqlUrl, redisUrl: redisUrl(), prefix: freshPrefix() });
});
afterAll(() => arena?.close());

describe('random histories', () => {
  it('end equal to plain SQL, whatever happens on the way', { timeout: TIME_LIMIT_MS + 180_000 }, async () => {
    const played = await playHistories(arena, {
      histories: HISTORIES,
      commands: 300,
      timeLimitMs: TIME_LIMIT_MS,
      shrinkLimitMs: 120_000,
      seed: MODEL_SEED === undefined ? undefined : Number(MODEL_SEED),
      replay: replayOf(MODEL_SEED, MODEL_PATH),
    });
    expect(played.deliveries).toBeGreaterThan(0);
  });
});
