import { beforeEach, describe, expect, it } from 'vitest';
import type { Audience } from '../../../src/tools/reference-site/checks.ts';
import { loadGraph, pieces, ROWS_AT_ONCE } from '../../../src/tools/reference-site/load-graph.ts';
import { uploadPhoto } from '../../../src/tools/reference-site/photos.ts';
import { addContact, removeContact } from '../../../src/tools/reference-site/relationships.ts';
import { freshReferenceSite } from '../../support/reference-site.ts';

const { pool, rows, empty } = await freshReferenceSite({ connections: 2 });

beforeEach(empty);

const count = async (table: string): Promise<number> =>
  Number((await rows(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);

describe('a whole graph', () => {
  it('5,000 users, 150,000 relationships, one of them with 20,000: in seconds, with the columns right', async () => {
    const users = Array.from({ length: 20_001 }, (_, n) => ({ id: String(n + 1), name: `Zoë ${n + 1}` }));
    const heavy = users.slice(1).map(({ id }) => ({ user: '1', contact: id, friend: true }));
    const light = users.slice(1, 5000).flatMap(({ id }) =>
      Array.from({ length: 26 }, (_, step) => ({
        user: id,
        contact: String(Number(id) + step + 1),
        family: step === 0,
      })),
    );
    const photos = Array.from({ length: 20_000 }, (_, n) => ({
      owner: String(((n * 7) % 5000) + 1),
      audience: (n % 5) as Audience,
      uploadedAt: 1_000_000 + ((n * 7919) % 100_003),
      title: `été ${n}`,
    }));
    const contacts = [...heavy, ...light];
    const counts = await loadGraph(pool, { users, contacts, photos });
    expect(counts).toEqual({ users: 20_001, contacts: contacts.length, photos: 20_000 });
    expect(contacts.length).toBeGreaterThan(149_000);

    const newest = new Map<string, number>();
    for (const { owner, audience, uploadedAt } of photos) {
      const key = `${owner} ${audience}`;
      newest.set(key, Math.max(newest.get(key) ?? 0, uploadedAt));
    }
    const columns = ['last_public_at', 'last_friends_at', 'last_family_at', 'last_friends_family_at'];
    for (const user of await rows('SELECT * FROM users')) {
      const expected = columns.map((_, audience) => String(newest.get(`${user.id} ${audience}`) ?? 0));
      expect(columns.map((column) => user[column])).toEqual(expected);
    }
    expect(await rows('SELECT name FROM users WHERE id = 5')).toEqual([{ name: 'Zoë 5' }]);
    expect(await rows("SELECT COUNT(*) AS n FROM photos WHERE title LIKE 'été %'")).toEqual([{ n: '20000' }]);
    expect(await count('recency_outbox')).toBe(0);
  });

  it('leaves what exists as it is, revives what was removed, and sees the photos that were there', async () => {
    await loadGraph(pool, { users: [{ id: '1', name: 'first' }, { id: '2' }, { id: '3' }] });
    await addContact(pool, '1', '2', { friend: true, family: false });
    await addContact(pool, '1', '3', { friend: true, family: true });
    await removeContact(pool, '1', '3');
    await uploadPhoto(pool, '2', 0, 900);
    const again = await loadGraph(pool, {
      users: [{ id: '1', name: 'other' }, { id: '4' }],
      contacts: [
        { user: '1', contact: '2' },
        { user: '1', contact: '3', family: true },
        { user: '1', contact: '4' },
        { user: '1', contact: '4', friend: true },
      ],
      photos: [{ owner: '2', audience: 0, uploadedAt: 100 }],
    });
    expect(again).toEqual({ users: 1, contacts: 2, photos: 1 });
    const shown = 'SELECT contact_id, is_friend, is_family, active, version FROM contacts ORDER BY contact_id';
    expect(await rows(shown)).toEqual([
      { contact_id: '2', is_friend: 1, is_family: 0, active: 1, version: '1' },
      { contact_id: '3', is_friend: 0, is_family: 1, active: 1, version: '3' },
      { contact_id: '4', is_friend: 0, is_family: 0, active: 1, version: '1' },
    ]);
    expect(await rows('SELECT name, last_public_at FROM users WHERE id IN (1, 2) ORDER BY id')).toEqual([
      { name: 'first', last_public_at: '0' },
      { name: '', last_public_at: '900' },
    ]);
  });

  it('keeps ids above 2^53 as they are, and starts a new epoch', async () => {
    const before = await rows('SELECT token FROM recency_epoch');
    const ids = ['9007199254740993', '18446744073709551615'] as const;
    await loadGraph(pool, {
      users: ids.map((id) => ({ id })),
      contacts: [{ user: ids[0], contact: ids[1] }],
      photos: [{ owner: ids[1], audience: 0, uploadedAt: Number.MAX_SAFE_INTEGER }],
    });
    expect(await rows('SELECT user_id, contact_id, last_upload_at FROM recency_contacts')).toEqual([
      { user_id: ids[0], contact_id: ids[1], last_upload_at: '9007199254740991' },
    ]);
    const after = await rows('SELECT token FROM recency_epoch');
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });

  it.each([
    ['bad_id', { users: [{ id: '0' }] }],
    ['bad_id', { contacts: [{ user: '1', contact: '1e3' }] }],
    ['self_contact', { contacts: [{ user: '1', contact: '1' }] }],
    ['bad_id', { photos: [{ owner: '', audience: 0, uploadedAt: 1 }] }],
    ['bad_audience', { photos: [{ owner: '1', audience: 7 as Audience, uploadedAt: 1 }] }],
    ['bad_time', { photos: [{ owner: '1', audience: 0, uploadedAt: -1 }] }],
    ['unknown_user', { users: [{ id: '1' }], contacts: [{ user: '1', contact: '99' }] }],
    ['unknown_user', { users: [{ id: '1' }], photos: [{ owner: '99', audience: 0, uploadedAt: 1 }] }],
  ] as const)('%s: nothing of it stays (%#)', async (code, graph) => {
    await expect(loadGraph(pool, graph)).rejects.toMatchObject({ code });
    expect(await count('users')).toBe(0);
  });
});

describe('pieces', () => {
  it.each([0, 1, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 3 * ROWS_AT_ONCE])('of %i rows', (length) => {
    const all = Array.from({ length }, (_, n) => n);
    const cut = [...pieces(all)];
    expect(cut.flat()).toEqual(all);
    expect(cut).toHaveLength(Math.ceil(length / ROWS_AT_ONCE));
    for (const piece of cut) expect(piece.length).toBeLessThanOrEqual(ROWS_AT_ONCE);
  });
});
