import pino from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { type RunningApi, startApi } from '../../../src/api/listen.ts';
import type { Id } from '../../../src/contracts/id.ts';
import { HttpClient } from '../../../src/tools/harness/http.ts';
import { measureLatency, quantile } from '../../../src/tools/harness/latency.ts';
import { Recipe, RecipeIndex } from '../../../src/tools/harness/variants/recipe.ts';
import { PlainSql } from '../../../src/tools/harness/variants/sql.ts';
import { variantApp } from '../../../src/tools/harness/variants/variant-app.ts';
import { loadGraph } from '../../../src/tools/reference-site/load-graph.ts';
import { openSitePool } from '../../../src/tools/reference-site/transaction.ts';
import { closeAtEnd } from '../../support/servers.ts';
import { freshStores } from '../../support/stores.ts';

const USER = '1';
const CONTACTS: readonly Id[] = ['10', '100', '9', '9007199254740993', '18446744073709551615'];

const now = () => performance.now();
const stores = await freshStores({ max: 4, min: 2 });
const pool = openSitePool(stores.url);
afterAll(() => pool.end());
await loadGraph(pool, {
  users: [USER, ...CONTACTS].map((id) => ({ id })),
  contacts: CONTACTS.map((contact) => ({ user: USER, contact })),
  photos: CONTACTS.map((owner, i) => ({ owner, audience: 0, uploadedAt: 1_000 + Math.floor(i / 2) })),
});

const index = new RecipeIndex(stores.redis, { prefix: stores.prefix, max: 4 });
const query = { user: USER, relation: 'any', limit: 3, below: undefined } as const;
const idsOf = ({ contacts }: { contacts: readonly { id: Id }[] }) => contacts.map(({ id }) => id);

describe('the arms', () => {
  test('answer the same: plain SQL over all, and the recipe from its index', async () => {
    for (const [i, id] of CONTACTS.entries()) await index.add(USER, { id, at: 1_000 + Math.floor(i / 2) });
    const sql = await new PlainSql(stores.primary, now).find(query);
    const recipe = await new Recipe(index, stores.primary, now).find(query);
    expect(idsOf(sql)).toEqual(['18446744073709551615', '9007199254740993', '9']);
    expect(idsOf(recipe)).toEqual(idsOf(sql));
    expect([sql.more, sql.source, recipe.source]).toEqual([true, 'database', 'index']);
  });

  test('the recipe keeps as many as it is told, and forgets whom it is told to', async () => {
    expect(await index.recent(USER)).toHaveLength(4);
    await index.remove(USER, '18446744073709551615');
    expect(await index.recent(USER)).toEqual(['9007199254740993', '9', '100']);
    expect((await new Recipe(index, stores.primary, now).find({ ...query, user: '10' })).contacts).toEqual([]);
  });
});

describe('the latency table', () => {
  let served: RunningApi;
  closeAtEnd(() => served.close(0));

  test('asks every arm for every user, in turns, after a warm-up', async () => {
    const asked: string[] = [];
    const variant = new PlainSql(stores.primary, now);
    const counting = {
      find: (wanted: Parameters<PlainSql['find']>[0]) => {
        asked.push(wanted.user);
        return variant.find(wanted);
      },
    };
    served = await startApi({
      app: variantApp(counting, pino({ level: 'silent' })),
      host: '127.0.0.1',
      port: 0,
      tokens: [],
      onError: (error) => expect.unreachable(error.message),
    });
    const client = new HttpClient(served.url);
    const users = [
      { user: '10', contacts: 0 },
      { user: USER, contacts: 5 },
    ];
    const variants = [
      { name: 'sql', client },
      { name: 'recency', client },
    ] as const;
    const rows = await measureLatency({ variants, users, rounds: 2, requests: 10, budgetMs: 5_000, warmUp: 5 });
    const turn = [...Array<Id>(20).fill('10'), ...Array<Id>(20).fill(USER)];
    expect(asked).toEqual([...Array<Id>(10).fill('10'), ...turn, ...turn, ...turn]);
    expect(rows.map(({ contacts }) => contacts)).toEqual([0, 5]);
    for (const { variants: measured } of rows) {
      expect(measured.sql.p50).toBeGreaterThan(0);
      expect(measured.sql.p99).toBeGreaterThanOrEqual(measured.sql.p50);
    }
  });

  test('takes quantiles by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([quantile(values, 0.5), quantile(values, 0.99), quantile([7], 0.99)]).toEqual([50, 99, 7]);
  });
});
