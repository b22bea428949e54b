import { beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/contracts/task.ts';
import { Database } from '../../src/mysql/database.ts';
import { eraseFromPush } from '../../src/push/erase.ts';
import { insertUndelivered } from '../../src/push/undelivered.ts';
import { insertWatch, readWatch, saveWatches } from '../../src/push/watch-table.ts';
import { scanKeys } from '../../src/redis/masters.ts';
import { encodeTask } from '../../src/transport/cloud-events.ts';
import { StreamsDeadLetters } from '../../src/transport/streams/dead-letters.ts';
import { runInProcess } from '../support/in-process.ts';
import { closeAtEnd } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';
import { recordedStream } from '../support/stream-record.ts';

/** An id that is part of no other number here. */
const USER = '7070707';

let primary: Database;
let settings: Awaited<ReturnType<typeof serviceSettings>>;

beforeAll(async () => {
  settings = await serviceSettings();
  primary = new Database(settings.MYSQL_URL, { connections: 2, queue: 10, deadlineMs: 30_000 });
  closeAtEnd(() => primary.close());
});

/** Every row of Recency's own tables that names the user, by table. */
async function rowsNaming(): Promise<string[]> {
  const tables = await primary.rows(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'recency\\_%' AND table_type = 'BASE TABLE'",
    [],
  );
  const found: string[] = [];
  for (const [table] of tables) {
    const rows = await primary.rows(`SELECT * FROM ${table}`, []);
    if (JSON.stringify(rows).includes(USER)) found.push(String(table));
  }
  return found.sort();
}

async function write(sql: string): Promise<void> {
  await primary.write(sql, []);
}

describe('forget', () => {
  it('erases the user from every table and key, and says what is left', async () => {
    const filter = { kinds: ['contacts'], relation: 'any', intervalMs: 0, secrets: ['whsec_x'] } as const;
    const hook = { channel: 'webhook', url: `https://example.com/${USER}` } as const;
    await insertWatch(primary, { ...filter, ...hook, user: USER, muted: [] }, 1, 10);
    const other = (await insertWatch(
      primary,
      { ...filter, ...hook, url: 'https://example.com', user: '1', muted: [USER, '8'] },
      1,
      10,
    )) as string;
    const watch = await readWatch(primary, other);
    const sources = [
      { kind: 'contacts', id: USER, at: 5 },
      { kind: 'contacts', id: '8', at: 4 },
    ] as const;
    const entries = sources.map(({ id, at }) => ({ id, at }));
    await saveWatches(primary, [
      {
        ...{ id: other, version: watch?.version ?? '', notifiedAt: undefined, dueAt: 9e12, ended: undefined },
        told: { contacts: { entries: entries.toReversed(), floor: entries[0] } },
        outgoing: { id: 'n', sources, more: false, attempts: 1, since: 1 },
      },
    ]);
    const letter = { id: 'a', watch: other, user: USER, sources, more: false, givenUpAt: 1 };
    await insertUndelivered(primary, [letter, { ...letter, id: 'b', user: '1' }]);
    await write(
      `INSERT INTO recency_seen VALUES (${USER}, 'contacts', 0, 1, 1), (1, 'contacts', ${USER}, 1, 1), (1, 'contacts', 8, 1, 1)`,
    );
    await write(
      `INSERT INTO recency_outbox (type, user_id, other_id, published_at) VALUES ('recency.contact.added', ${USER}, 2, 1), ('recency.contact.added', 2, ${USER}, 1), ('recency.contact.added', 2, 3, 1)`,
    );
    await write(
      `INSERT INTO recency_runs (kind, state, parameters, counts, started_at, updated_at, finished_at) VALUES ('repair', 'done', '{}', '{"users":2,"examples":{"wrong_users":[{"user":"${USER}"},{"user":"8"}]}}', 1, 1, 1)`,
    );
    await write(
      `INSERT INTO recency_settled_letters VALUES ('x', '1-1', 'discarded', '', 'user ${USER} asked for it', 1), ('x', '1-2', 'discarded', '', 'of ${USER}1', 1)`,
    );
    const redis = await freshRedis();
    const stream = `${settings.KEY_PREFIX}:${settings.TOPIC}`;
    const letters = new StreamsDeadLetters({ client: redis, stream, recorded: recordedStream(redis, stream) });
    const failure = { errorClass: 'Error', message: 'of a test', attempts: 1 };
    const set = (task: Task, text?: string) => {
      const { body, headers } = encodeTask({ task, id: 'x', source: '/test', time: 1 });
      const sent = text === undefined ? body : Buffer.from(text);
      return { delivery: { position: `streams:x:${USER}-1`, timestamp: 1, headers, body: sent }, failure };
    };
    await letters.put([
      set({ type: 'recency.user.changed', user: USER }),
      set({ type: 'recency.photo.uploaded', owner: USER }),
      set({ type: 'recency.contact.added', user: USER, contact: '2' }),
      set({ type: 'recency.user.changed', user: '3' }),
      set({ type: 'recency.user.changed', user: '3' }, `not a task: ${USER}`),
    ]);
    const queued = `${settings.KEY_PREFIX}:push:{delay}`;
    await redis.sadd(`${queued}:watched`, USER, '1');
    await redis.zadd(`${queued}:due`, 9e15, USER);
    await redis.zadd(`${queued}:all`, 0, USER);
    await redis.zadd(`${queued}:streamed`, 9e15, USER);
    const tables = [
      ...['recency_outbox', 'recency_runs', 'recency_seen', 'recency_settled_letters'],
      ...['recency_undelivered', 'recency_watches'],
    ];
    expect(await rowsNaming()).toEqual(tables);

    const done = await runInProcess(['forget', USER, '--json'], settings);
    expect(done.code).toBe(0);
    expect(done.json()).toMatchObject([
      {
        forgotten: USER,
        erased: { seen: 2, watches: 2, outbox: 2, undelivered: 2, reports: 2, pending: 0 },
        dead_letters: { erased: 2, left: 2, newest: expect.stringMatching(/Z$/) },
      },
    ]);
    expect(done.stderr).toContain('2 dead letters that name the user are left');
    const left: unknown[] = [];
    for await (const { headers } of letters.all()) left.push(headers.ce_type);
    expect(left).toEqual([...['recency.contact.added', 'recency.user.changed', 'recency.user.changed']]);
    // What is about another user whose number begins alike stays.
    expect(await primary.rows('SELECT why FROM recency_settled_letters ORDER BY id', [])).toEqual([
      ['(erased)'],
      [`of ${USER}1`],
    ]);
    await write("DELETE FROM recency_settled_letters WHERE id = '1-2'");
    expect(await rowsNaming()).toEqual([]);
    const after = await readWatch(primary, other);
    expect(after).toMatchObject({ muted: ['8'], outgoing: { sources: [{ id: '8' }] } });
    expect(after?.told.contacts?.entries).toEqual([{ id: '8', at: 4 }]);
    expect(await redis.smembers(`${queued}:watched`)).toEqual(['1']);
    for (const key of ['due', 'all', 'streamed']) expect(await redis.zcard(`${queued}:${key}`)).toBe(0);
    const keys: string[] = [];
    for await (const some of scanKeys(redis, `${settings.KEY_PREFIX}*`)) keys.push(...some);
    // That the user was forgotten is remembered for an hour, so that a rebuild that was asked for before builds nothing.
    for (const key of keys.filter((one) => one.includes(USER)))
      expect([key, (await redis.pttl(key)) > 0]).toEqual([key, true]);
  });

  it('is not held up by a group with the same number, which stays', async () => {
    const group = '9090909';
    const filter = { kinds: ['contacts', 'groups'], relation: 'any', intervalMs: 0, secrets: [] } as const;
    const id = (await insertWatch(primary, { ...filter, channel: 'kafka', user: '5', muted: [] }, 1, 10)) as string;
    const { version = '' } = (await readWatch(primary, id)) ?? {};
    const told = { groups: { entries: [{ id: group, at: 5 }], floor: undefined } };
    const saved = { id, version, told, outgoing: undefined, notifiedAt: undefined, dueAt: undefined, ended: undefined };
    await saveWatches(primary, [saved]);
    const sources = [{ kind: 'groups', id: group, at: 5 }] as const;
    await insertUndelivered(primary, [{ id: 'g', watch: id, user: '5', sources, more: false, givenUpAt: 1 }]);
    expect(await eraseFromPush(primary, group, true)).toEqual({ watches: 0, undelivered: 0 });
    expect((await readWatch(primary, id))?.told.groups?.entries).toEqual([{ id: group, at: 5 }]);
  });

  it('leaves tasks that are not published, and says so', async () => {
    await write(`INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.removed', 2, ${USER})`);
    const done = await runInProcess(['forget', USER], settings);
    expect(done.stderr).toContain('Not published yet: 1 task about the user.');
    expect(await rowsNaming()).toEqual(['recency_outbox']);
  });
});
