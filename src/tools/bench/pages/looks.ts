import type { Pool } from 'mysql2/promise';
import { DEFAULT_LIMIT } from '../../../contracts/http.ts';
import type { Id } from '../../../contracts/id.ts';
import { KIND_NAMES } from '../../../contracts/kind.ts';
import { raiseSeen } from '../../../mysql/statements/seen.ts';
import { retry } from '../../../timing/loop.ts';
import { quantile } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';
import type { HarnessStores } from '../../harness/stores.ts';
import { idsFrom, loadGraph } from '../../reference-site/load-graph.ts';
import { buildIndexes, onePhotoEach } from '../circle.ts';
import { type Measurements, rounded } from '../report.ts';
import { inTurns } from '../turns.ts';

export interface LooksSize {
  /** Contacts of the two users, and groups as many: few and many. */
  readonly sources: readonly [few: number, many: number];
  /** Requests of each turn, one at a time. */
  readonly requests: number;
  readonly rounds: number;
  readonly warmUp: number;
}

interface LooksOptions extends LooksSize {
  readonly stores: HarnessStores;
  /** Address of the API, which answers over both kinds. */
  readonly url: string;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 100;
const RETRY_MS = 20;

const FIRST_VIEWER = 30_000_000n;
const FIRST_PERSON = 40_000_000n;

/** What each user has not seen: so many of their contacts. */
const UNSEEN = 5;

/** What is asked, and what an answer must say: nothing else was measured. */
const ARMS = {
  answer: { path: `contacts/recent?limit=${DEFAULT_LIMIT}`, wanted: /"source":"index"/ },
  unseen: { path: 'contacts/unseen', wanted: new RegExp(`"count":${UNSEEN},.*"source":"index"`) },
  mixed: { path: `recent?limit=${DEFAULT_LIMIT}`, wanted: /"kind":"groups".*"source":"index"/ },
};

type Arm = keyof typeof ARMS;

/**
 * How long three things take for a user with few and with very many contacts and groups: the ordinary answer, the count of
 * what is new, and the answer over both kinds. The users have looked before: what is new since is in their indexes.
 * @throws Error when an answer is not from an index, or counts something else
 */
export async function measureLooks(options: LooksOptions): Promise<Measurements> {
  const { stores, url, sources, requests, rounds, warmUp, signal } = options;
  const viewers = await gatherViewers(stores, sources);
  const client = new MeasuringClient(url);
  try {
    for (const { user } of viewers) await untilIndexed(client, user, signal);
    const p50Of = async (user: Id, arm: Arm) => {
      const times: number[] = [];
      for (let i = 0; i < requests; i++) times.push(await timed(client, user, arm));
      return quantile(times, 0.5);
    };
    const turns = viewers.flatMap(({ user, count }) =>
      (Object.keys(ARMS) as Arm[]).map((arm) => ({ row: { arm, sources: count }, take: () => p50Of(user, arm) })),
    );
    const measured = await inTurns([turns], { rounds, warmUp, signal });
    const rows = measured.map(({ median, ...row }) => ({ ...row, p50_us: Math.round(median * 1_000) }));
    return { rows, ratios: looksRatios(rows) };
  } finally {
    client.close();
  }
}

/** Loading began an epoch. The API learns of it with the first rows that it reads, and compares Redis before it uses an index. */
async function untilIndexed(client: MeasuringClient, user: Id, signal: AbortSignal): Promise<void> {
  const onFailure = (error: unknown, failures: number) => {
    if (failures >= ATTEMPTS) throw error;
    return RETRY_MS;
  };
  await retry(() => timed(client, user, 'answer'), { signal, onFailure });
}

async function timed(client: MeasuringClient, user: Id, arm: Arm): Promise<number> {
  const { path, wanted } = ARMS[arm];
  const from = performance.now();
  const { status, body } = await client.get(`/v1/users/${user}/${path}`);
  const ms = performance.now() - from;
  if (status !== 200 || !wanted.test(body)) throw new Error(`${path}: not what was expected: ${body.slice(0, 500)}`);
  return ms;
}

interface MeasuredLook {
  readonly arm: string;
  readonly sources: number;
  readonly p50_us: number;
}

/** @throws Error when an arm is missing */
export function looksRatios(rows: readonly MeasuredLook[]): Record<string, number> {
  const [few, many] = [Math.min, Math.max].map((extreme) => extreme(...rows.map(({ sources }) => sources)));
  const at = (arm: Arm, sources: number | undefined) => {
    const found = rows.find((row) => row.arm === arm && row.sources === sources);
    if (!found?.p50_us || few === many) throw new Error('too little was measured');
    return found.p50_us;
  };
  return {
    mixed_flatness: rounded(at('mixed', many) / at('mixed', few)),
    unseen_flatness: rounded(at('unseen', many) / at('unseen', few)),
    unseen_over_answer: rounded(at('unseen', many) / at('answer', many)),
  };
}

async function gatherViewers(stores: HarnessStores, sources: LooksSize['sources']) {
  const { pool, primary, kinds } = stores;
  const viewers = idsFrom(FIRST_VIEWER, sources.length).map((user, i) => ({ user, count: sources[i] ?? 0 }));
  const users = viewers.map(({ user }) => user);
  const people = idsFrom(FIRST_PERSON, Math.max(...sources));
  await loadGraph(pool, {
    users: [...users, ...people].map((id) => ({ id })),
    contacts: viewers.flatMap(({ user, count }) => people.slice(0, count).map((contact) => ({ user, contact }))),
    photos: onePhotoEach(people),
  });
  await groupEachPerson(pool);
  await pool.query('ANALYZE TABLE contacts, users, photos, memberships, user_groups, group_pools');
  for (const { steps } of kinds) await buildIndexes({ steps }, users);
  for (const user of users) {
    const key = await nextBelow(pool, user);
    await raiseSeen(
      primary,
      user,
      KIND_NAMES.map((kind) => ({ kind, source: '0', ...key })),
    );
  }
  return viewers;
}

/** A group for each person, with the person's photo and followers. */
async function groupEachPerson(pool: Pool): Promise<void> {
  for (const statement of [
    'INSERT INTO user_groups (id, name, last_public_at) SELECT id, name, last_public_at FROM users WHERE id >= ?',
    'INSERT INTO memberships (user_id, group_id) SELECT user_id, contact_id FROM contacts WHERE contact_id >= ?',
    `INSERT INTO group_pools (group_id, photo_id, audience, added_at)
     SELECT owner_id, id, audience, uploaded_at FROM photos WHERE owner_id >= ?`,
  ]) {
    await pool.query(statement, [String(FIRST_PERSON)]);
  }
}

/** The key of the contact, and of the group, below those that are to be new. */
async function nextBelow(pool: Pool, user: Id): Promise<{ at: number; id: Id }> {
  const below = `
    SELECT last_upload_at, contact_id FROM recency_contacts
    WHERE user_id = ? ORDER BY last_upload_at DESC, CAST(contact_id AS BINARY) DESC LIMIT 1 OFFSET ${UNSEEN}`;
  const [rows] = await pool.query({ sql: below, rowsAsArray: true }, [user]);
  const [row] = rows as unknown as [number, number][];
  if (row === undefined) throw new Error(`user ${user} has too few contacts`);
  return { at: Number(row[0]), id: String(row[1]) };
}
