import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Journal } from '../../../src/tools/demo/play/journal.ts';
import type { Shown, Wrong } from '../../../src/tools/demo/play/judge.ts';
import { type ListName, Reader } from '../../../src/tools/demo/play/reader.ts';
import { seededRandom } from '../../../src/tools/demo/random.ts';
import { HttpClient } from '../../../src/tools/harness/http.ts';

const [USER, CONTACT, STRANGER] = ['1', '2', '3'];
const [GROUP, OTHER_GROUP] = ['4', '5'];
const AT = Date.UTC(2004, 4, 1);
const grantsNothing = { active: true, friend: false, family: false };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/**
 * The contact has a photo for everybody and one, a second older, for friends, which the user is not. Both were then added to
 * the pool of the user's group, and the one for everybody to that of a group that the user is not in.
 */
function journal(): Journal {
  const site = new Journal(() => performance.now());
  site.rememberRelationship(USER, CONTACT, grantsNothing);
  site.rememberRelationship(CONTACT, USER, grantsNothing);
  const forFriends = site.rememberPhoto('8', CONTACT, 1, AT - 1_000);
  const forAll = site.rememberPhoto('9', CONTACT, 0, AT);
  site.rememberPhoto('10', STRANGER, 0, AT);
  site.groups.rememberMembership(USER, GROUP, true);
  site.groups.rememberMembership(USER, OTHER_GROUP, false);
  site.groups.rememberPooled(GROUP, forFriends, AT + 1_000);
  site.groups.rememberPooled(GROUP, forAll, AT + 2_000);
  site.groups.rememberPooled(OTHER_GROUP, forAll, AT + 2_000);
  return site;
}

/** An API that answers every question with these rows. */
async function apiAnswering(rows: readonly object[], status = 200): Promise<HttpClient> {
  const server: Server = createServer(({ url }, response) => {
    response.writeHead(status).end(JSON.stringify({ [listOf(url)]: rows, answer: { source: 'index' } }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ends.push(() => server.close());
  return client;
}

/** The field of the answer to this question that has its rows. */
function listOf(url = ''): string {
  const [part = ''] = url.split('/').slice(4);
  return part.startsWith('recent') ? 'sources' : part;
}

async function readOnceFrom(client: HttpClient, list: ListName = 'contacts') {
  const seen: [Wrong, Shown][] = [];
  const reader = new Reader({
    client,
    journal: journal(),
    lists: [list],
    random: seededRandom(1),
    nextUser: () => USER,
    onWrong: (wrong, shown) => seen.push([wrong, shown]),
    now: () => performance.now(),
  });
  await reader.readOnce();
  return { counts: reader.counts, seen };
}

const row = (id: string, at: number, photos: readonly object[] = []) => ({
  id,
  last_upload_at: new Date(at).toISOString(),
  photos,
});
const photo = (id: string, at: number) => ({ id, uploaded_at: new Date(at).toISOString() });

describe('a reader', () => {
  test('finds nothing wrong in a right answer', async () => {
    const { counts, seen } = await readOnceFrom(await apiAnswering([row(CONTACT, AT, [photo('9', AT)])]));
    expect(seen).toEqual([]);
    expect(counts).toEqual({ reads: 1, of_groups: 0, of_both: 0, wrong: 0, refused: 0, narrowed: 1 });
  });

  test('finds nothing wrong in a right answer about groups', async () => {
    const right = row(GROUP, AT + 2_000, [photo('9', AT + 2_000)]);
    const { counts, seen } = await readOnceFrom(await apiAnswering([right]), 'groups');
    expect(seen).toEqual([]);
    expect(counts).toEqual({ reads: 1, of_groups: 1, of_both: 0, wrong: 0, refused: 0, narrowed: 1 });
  });

  test.each<[string, object, Wrong]>([
    ['a group that the user is not in', row(OTHER_GROUP, AT + 2_000), 'not_a_member'],
    ['a time at which nothing was added', row(GROUP, AT), 'unseen_photo'],
    ['the time of a photo that is not public', row(GROUP, AT + 1_000), 'unseen_photo'],
    ['a photo of the pool that is not public', row(GROUP, AT + 2_000, [photo('8', AT + 1_000)]), 'unseen_photo'],
    ['a photo that is not in the pool', row(GROUP, AT + 2_000, [photo('10', AT + 2_000)]), 'unseen_photo'],
  ])('of groups notices %s', async (_what, planted, wrong) => {
    const { counts, seen } = await readOnceFrom(await apiAnswering([planted]), 'groups');
    expect(counts).toMatchObject({ reads: 1, wrong: 1 });
    expect(seen.map(([kind]) => kind)).toEqual([wrong]);
  });

  test.each<[string, object, Wrong]>([
    ['somebody who is no contact', row(STRANGER, AT), 'not_a_contact'],
    ['a time at which the contact uploaded nothing', row(CONTACT, AT + 1), 'unseen_photo'],
    ['the time of a photo that the user may not see', row(CONTACT, AT - 1_000), 'unseen_photo'],
    ['a photo that the user may not see', row(CONTACT, AT, [photo('8', AT - 1_000)]), 'unseen_photo'],
    ['a photo that is not there', row(CONTACT, AT, [photo('77', AT)]), 'unseen_photo'],
  ])('notices %s', async (_what, planted, wrong) => {
    const { counts, seen } = await readOnceFrom(await apiAnswering([row(CONTACT, AT), planted]));
    expect(counts).toMatchObject({ reads: 1, wrong: 1 });
    expect(seen.map(([kind]) => kind)).toEqual([wrong]);
  });

  test('judges each row of a list of both kinds by its own', async () => {
    const ofContact = { kind: 'contacts', ...row(CONTACT, AT, [photo('9', AT)]) };
    const ofGroup = { kind: 'groups', ...row(GROUP, AT + 2_000, [photo('9', AT + 2_000)]) };
    const right = await readOnceFrom(await apiAnswering([ofGroup, ofContact]), 'sources');
    expect(right.seen).toEqual([]);
    expect(right.counts).toMatchObject({ reads: 1, of_groups: 0, of_both: 1, wrong: 0 });
    const swapped = [
      { ...ofContact, kind: 'groups' },
      { ...ofGroup, kind: 'contacts' },
    ];
    const { seen } = await readOnceFrom(await apiAnswering(swapped), 'sources');
    expect(new Set(seen.map(([wrong]) => wrong))).toEqual(new Set(['not_a_member', 'not_a_contact']));
  });

  test('counts what was refused, and fails at any other error', async () => {
    expect((await readOnceFrom(await apiAnswering([], 503))).counts).toMatchObject({ reads: 0, refused: 1 });
    await expect(readOnceFrom(await apiAnswering([], 500))).rejects.toThrow('500');
  });
});
