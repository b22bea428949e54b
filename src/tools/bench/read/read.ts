import type { Id } from '../../../contracts/id.ts';
import { run } from '../../../index/protocol.ts';
import { rebuild } from '../../../index/rebuild.ts';
import { createDenormalised } from '../../denormalised/table.ts';
import { type LatencyRow, measureLatency, type Variant } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { fillRecipeIndex, RecipeIndex } from '../../harness/variants/recipe.ts';
import { SERVED_VARIANTS, startVariant } from '../../harness/variants/start-variant.ts';
import { idsFrom, loadGraph, type NewContact } from '../../reference-site/load-graph.ts';
import type { Bench, Ground } from '../bench.ts';
import { type Measurements, rounded } from '../report.ts';
import { bareSql, redisScript } from './parts.ts';

export interface ReadSize {
  readonly contacts: readonly number[];
  readonly ordinary: number;
  readonly rounds: number;
  /** Maximum requests to one variant for one user per round, and ms after which no more are sent. */
  readonly requests: number;
  readonly budgetMs: number;
  readonly warmUp: number;
}

/** Measures one answer over HTTP, on one connection, one request at a time. */
export const read: Bench<ReadSize> = {
  name: 'read',
  summary: 'µs that an answer over HTTP takes, for users with few and with very many contacts',
  transport: 'streams',
  full: {
    contacts: [10, 1_000, 20_000, 100_000],
    ordinary: 5_000,
    rounds: 20,
    requests: 20,
    budgetMs: 60,
    warmUp: 300,
  },
  quick: { contacts: [10, 100, 500, 1_000], ordinary: 50, rounds: 1, requests: 3, budgetMs: 60, warmUp: 3 },
  measure,
};

/** The variants over HTTP, and the parts that every answer needs. */
const READ_VARIANTS = ['recency', ...SERVED_VARIANTS, 'redis_script', 'bare_sql'] as const;
export type ReadVariant = (typeof READ_VARIANTS)[number];

async function measure(ground: Ground, size: ReadSize): Promise<Measurements> {
  const { progress, signal } = ground;
  const users = await gatherReaders(ground, size);
  const variants = await openVariants(
    ground,
    users.map(({ user }) => user),
  );
  progress(`users with ${size.contacts.join(', ')} contacts; ${size.rounds} rounds`);
  const { rounds, requests, budgetMs, warmUp } = size;
  const rows = await measureLatency({ variants, users, rounds, requests, budgetMs, warmUp, signal });
  return { rows: rows.flatMap(rowsOf), ratios: readRatios(rows) };
}

async function openVariants(ground: Ground, users: readonly string[]): Promise<Variant<ReadVariant>[]> {
  const { processGroup, resources } = ground;
  const api = await launchApi(processGroup);
  const [served] = await Promise.all([
    Promise.all(SERVED_VARIANTS.map((name) => startVariant(processGroup, name))),
    api.untilReady(),
  ]);
  const over = (url: string) => resources.adopt(new MeasuringClient(url), (client) => client.close());
  return [
    { name: 'recency', client: over(api.url) },
    ...SERVED_VARIANTS.map((name, i) => ({ name, client: over(served[i]?.url ?? '') })),
    { name: 'redis_script', client: redisScript(ground) },
    { name: 'bare_sql', client: await bareSql(ground, users) },
  ];
}

function rowsOf({ contacts, variants }: LatencyRow<ReadVariant>) {
  const microseconds = (ms: number) => Math.round(ms * 1_000);
  return READ_VARIANTS.map((arm) => {
    const { p50, p99 } = variants[arm];
    return { contacts, arm, p50_us: microseconds(p50), p99_us: microseconds(p99) };
  });
}

/** Needs four numbers of contacts; the third (20,000) names the ratios. */
export function readRatios(rows: readonly Pick<LatencyRow<ReadVariant>, 'variants'>[]): Record<string, number> {
  const [fewest, , heavy, most] = rows;
  if (fewest === undefined || heavy === undefined || most === undefined) throw new Error('too little was measured');
  const { recency, recipe, recipe_hinted, denormalised, sql, empty_route, redis_script, bare_sql } = heavy.variants;
  return {
    flatness: rounded(most.variants.recency.p50 / fewest.variants.recency.p50),
    over_parts: rounded(recency.p50 / (empty_route.p50 + redis_script.p50 + bare_sql.p50)),
    sql_over_recency_20000: rounded(sql.p50 / recency.p50),
    recipe_over_recency_20000: rounded(recipe.p50 / recency.p50),
    recipe_hinted_over_recency_20000: rounded(recipe_hinted.p50 / recency.p50),
    denormalised_over_recency_20000: rounded(denormalised.p50 / recency.p50),
    denormalised_flatness: rounded(most.variants.denormalised.p50 / fewest.variants.denormalised.p50),
  };
}

export interface VariantReader {
  readonly user: Id;
  readonly contacts: number;
}

const FIRST_READER = 10_000_000n;
const FIRST_PERSON = 20_000_000n;
const FIRST_ORDINARY = 60_000_000n;

/** One in this many contacts has the reader as a contact too, and one in this many of those as a friend. */
const BACK = 3;
const FRIEND = 5;

/** Contacts of an ordinary user, who make the tables' statistics those of a site. */
const CONTACTS_OF_ORDINARY = 20;

const HOUR_MS = 3_600_000;

/**
 * Creates users with exactly this many contacts among ordinary ones; each contact has one public photo, in no order of
 * the ids. Both Recency and the recipe have an index for each, and the denormalised table has every contact.
 */
async function gatherReaders(
  ground: Ground,
  { contacts, ordinary }: { contacts: readonly number[]; ordinary: number },
): Promise<VariantReader[]> {
  const { stores, namespace } = ground;
  const readers = idsFrom(FIRST_READER, contacts.length).map((user, i) => ({ user, contacts: contacts[i] ?? 0 }));
  const people = idsFrom(FIRST_PERSON, Math.max(...contacts));
  const others = idsFrom(FIRST_ORDINARY, ordinary);
  const now = Date.now();
  await loadGraph(stores.pool, {
    users: [...readers.map(({ user }) => user), ...people, ...others].map((id) => ({ id })),
    contacts: [
      ...readers.flatMap((reader) => relationshipsOf(reader, people)),
      ...others.flatMap((user, position) => ordinaryContacts(user, position, people)),
    ],
    photos: people.map((owner, position) => ({ owner, audience: 0, uploadedAt: now - HOUR_MS - hashed(position) })),
  });
  await stores.pool.query('ANALYZE TABLE contacts, users, photos');
  await createDenormalised(stores.pool, ground.signal);
  await run(rebuild(readers.map(({ user }) => user)), stores.steps);
  const { keyPrefix: prefix, max } = namespace.config;
  const recipe = new RecipeIndex(stores.redis, { prefix, max });
  for (const { user } of readers) await fillRecipeIndex(recipe, stores.contacts, user, max);
  return readers;
}

function relationshipsOf({ user, contacts }: VariantReader, people: readonly Id[]): NewContact[] {
  const chosen = people.filter(
    (_, position) =>
      Math.floor((position * contacts) / people.length) !== Math.floor(((position - 1) * contacts) / people.length),
  );
  const back = chosen.filter((_, position) => position % BACK === 0);
  return [
    ...chosen.map((contact) => ({ user, contact })),
    ...back.map((contact, position) => ({ user: contact, contact: user, friend: position % FRIEND === 0 })),
  ];
}

function ordinaryContacts(user: Id, position: number, people: readonly Id[]): NewContact[] {
  const chosen = new Set<Id>();
  for (let i = 0; i < CONTACTS_OF_ORDINARY; i++) {
    const contact = people[hashed(position * CONTACTS_OF_ORDINARY + i) % people.length];
    if (contact !== undefined) chosen.add(contact);
  }
  return [...chosen].map((contact) => ({ user, contact }));
}

/** An integer below 2^31, the same for the same position (Knuth's multiplicative hash). */
function hashed(position: number): number {
  return Math.imul(position, 0x9e3779b1) >>> 1;
}
