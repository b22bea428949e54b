import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { RELATIONS } from '../../src/contracts/relation.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import type { Database, Parameter } from '../../src/mysql/database.ts';
import { audiencesOf, readPhotos } from '../../src/mysql/statements/photos.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import type { RecentAnswer } from '../../src/query/recent-answer.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import { type PhotosQuery, RecentPhotos } from '../../src/query/recent-photos.ts';
import { cases } from '../support/cases.ts';
import type { ContactsDatabase } from '../support/contacts-database.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { IDS, site } from '../support/site-arbitrary.ts';
import { freshSitePool, rankedContacts, type SmallSite, visiblePhotos, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const MIN = 10;
const USER = '1';
const EVERYTHING = '15';

let stores: Stores;
let pool: Pool;
let counting: CountingDatabase;

beforeAll(async () => {
  stores = await freshStores({ max: 24, min: MIN });
  pool = freshSitePool(stores.url);
  counting = new CountingDatabase(stores.url);
});

function recentContacts(database: ContactsDatabase): RecentContacts {
  return recentContactsOn(stores, { max: 24, min: MIN }, { database });
}

/** @param between runs after the contacts were read and before their photos are */
function recentPhotos(between?: (found: RecentAnswer) => Promise<void>): RecentPhotos {
  const contacts = recentContacts(counting);
  const find: RecentContacts['find'] = async (query) => {
    const found = await contacts.find(query);
    await between?.(found);
    return found;
  };
  return new RecentPhotos({ recent: { find }, database: counting, now: () => performance.now() });
}

async function start(all: SmallSite): Promise<void> {
  await writeSite(pool, all);
  await stores.index.drop(all.users);
  const { rebuilt, small } = await run(rebuild(all.users), stores.steps);
  expect(rebuilt.length + small.length).toBe(all.users.length);
}

function find(query: Partial<PhotosQuery>, between?: (found: RecentAnswer) => Promise<void>) {
  return recentPhotos(between).find({ user: USER, relation: 'any', contacts: 1, photos: 10, ...query });
}

describe('photos of the recent contacts', () => {
  it('at rest are the newest visible ones of each, for every relation, number of contacts and of photos', async () => {
    const relation = fc.constantFrom(...RELATIONS);
    const some = fc.integer({ min: 1, max: 8 });
    await fc.assert(
      fc.asyncProperty(site, relation, some, some, async (all, relation, contacts, photos) => {
        await start(all);
        for (const user of IDS) {
          const answer = await find({ user, relation, contacts, photos });
          const expected = rankedContacts(all, user, relation).slice(0, contacts);
          expect(answer.contacts.map(({ id, at }) => ({ id, at }))).toEqual(expected.map(({ id, at }) => ({ id, at })));
          for (const contact of answer.contacts) {
            const newest = visiblePhotos(all, user, contact.id).slice(0, photos);
            expect(contact.photos.map(({ id, uploadedAt }) => ({ id, uploadedAt }))).toEqual(
              newest.map(({ id, at }) => ({ id, uploadedAt: at })),
            );
          }
          expect(answer.exact).toBe(true);
        }
      }),
      { numRuns: cases(40) },
    );
  });

  it('are never of somebody or for somebody else, whatever changes between the two statements', async () => {
    await fc.assert(
      fc.asyncProperty(site, site, fc.integer({ min: 1, max: 8 }), async (before, now, contacts) => {
        for (const user of IDS) {
          await start(before);
          const answer = await find({ user, contacts }, () => writeSite(pool, now));
          for (const contact of answer.contacts) {
            const visible = visiblePhotos(now, user, contact.id).map(({ id }) => id);
            expect(rankedContacts(now, user, 'any').map(({ id }) => id)).toContain(contact.id);
            for (const photo of contact.photos) expect(visible).toContain(photo.id);
          }
        }
      }),
      { numRuns: cases(10) },
    );
  });
});

/** Contacts 2, 3, 4 … of whom the user may see the one photo each, for friends; 2 is the most recently active one. */
function friendsOnly(contacts: number): SmallSite {
  const ids = Array.from({ length: contacts }, (_, i) => String(i + 2));
  return {
    users: [USER, ...ids],
    ties: ids.flatMap((id) => [
      { user: USER, contact: id, friend: true, family: false, active: true },
      { user: id, contact: USER, friend: true, family: false, active: true },
    ]),
    photos: ids.map((owner, i) => ({ id: owner, owner, audience: 1, at: 1_000_000 - i })),
  };
}

const withdraw = (owner: Id) => stores.primary.write('UPDATE contacts SET is_friend = 0 WHERE user_id = ?', [owner]);
const shown = (answer: { contacts: readonly { id: Id }[] }) => answer.contacts.map(({ id }) => id);

describe('a change between the contacts and their photos', () => {
  beforeEach(() => start(friendsOnly(12)));

  it('that leaves a contact without photos lets the next contact follow', async () => {
    let asked = 0;
    const answer = await find({ contacts: 2 }, async () => {
      asked += 1;
      if (asked === 1) await withdraw('2');
    });
    expect(shown(answer)).toEqual(['3', '4']);
    expect(answer).toMatchObject({ exact: true, reason: undefined });
    expect(asked).toBe(2);
  });

  it('that goes on and on is not waited for, and not kept a secret', async () => {
    await start(friendsOnly(20));
    let asked = 0;
    const answer = await find({ contacts: 2 }, async (found) => {
      asked += 1;
      for (const { id } of found.contacts) await withdraw(id);
    });
    expect(answer).toMatchObject({ contacts: [], exact: false, reason: 'changed_meanwhile' });
    expect(asked).toBe(3);
  });

  it('that takes a contact away takes their photos away', async () => {
    const remove = 'UPDATE contacts SET active = 0 WHERE user_id = 1 AND contact_id = 2';
    const answer = await find({ contacts: 2 }, () => stores.primary.write(remove, []).then(() => undefined));
    expect(shown(answer)).toEqual(['3', '4']);
  });

  it('that lets a contact rise shows them where they are now', async () => {
    const answer = await find({ contacts: 2 }, async () => {
      await addPhoto('99', '3', 1, 2_000_000);
      await setTimes('3', 2_000_000);
    });
    expect(shown(answer)).toEqual(['3', '2']);
    expect(answer.exact).toBe(true);
  });

  it('that lets a contact fall is followed by another look: somebody else may belong before', async () => {
    let asked = 0;
    await addPhoto('99', '2', 1, 1);
    const answer = await find({ contacts: 1 }, async () => {
      asked += 1;
      if (asked > 1) return;
      await stores.primary.write('DELETE FROM photos WHERE id = 2', []);
      await setTimes('2', 1);
    });
    expect(shown(answer)).toEqual(['3']);
    expect(answer.exact).toBe(true);
  });

  it('that shows more of a contact is followed by another look, for what it shows', async () => {
    let asked = 0;
    await addPhoto('99', '2', 2, 2_000_000);
    await stores.primary.write('UPDATE users SET last_family_at = 2000000 WHERE id = 2', []);
    const answer = await find({ contacts: 1 }, async () => {
      asked += 1;
      if (asked === 1) await stores.primary.write('UPDATE contacts SET is_family = 1 WHERE user_id = 2', []);
    });
    expect(answer.contacts[0]).toMatchObject({ id: '2', at: 2_000_000, photos: [{ id: '99' }, { id: '2' }] });
  });

  it('that goes on while the user marks everything as seen leaves nobody unseen below the mark', async () => {
    let asked = 0;
    const answer = await find({ contacts: 2 }, async () => {
      asked += 1;
      await stores.primary.write('UPDATE photos SET uploaded_at = uploaded_at - 100', []);
      await stores.primary.write('UPDATE users SET last_friends_at = last_friends_at - 100 WHERE id <> ?', [USER]);
      if (asked === 3)
        await raiseSeen(stores.primary, USER, [{ kind: 'contacts', source: '0', at: 1_500_000, id: '0' }]);
    });
    expect(answer).toMatchObject({ exact: false, reason: 'changed_meanwhile' });
    expect(answer.contacts.map(({ id, unseen }) => ({ id, unseen }))).toEqual([
      { id: '2', unseen: false },
      { id: '3', unseen: false },
    ]);
  });

  it('that takes a contact out of the wanted relation takes them out of the answer', async () => {
    let asked = 0;
    const answer = await find({ contacts: 1, relation: 'friends' }, async () => {
      asked += 1;
      const unfriend = 'UPDATE contacts SET is_friend = 0 WHERE user_id = 1 AND contact_id = 2';
      if (asked === 1) await stores.primary.write(unfriend, []);
    });
    expect(shown(answer)).toEqual(['3']);
  });
});

describe('while grants come and go', () => {
  it('a contact and their photos are of one moment: the newest photo is of the time that the contact shows', async () => {
    await start(friendsOnly(12));
    for (const id of ['2', '3', '4']) await addPhoto(`${id}0`, id, 0, 500_000);
    await stores.primary.write('UPDATE users SET last_public_at = 500000 WHERE id IN (2, 3, 4)', []);
    let reading = true;
    const toggling = (async () => {
      while (reading)
        await stores.primary.write('UPDATE contacts SET is_friend = 1 - is_friend WHERE user_id IN (2, 3, 4)', []);
    })();
    const seen = new Set<number>();
    for (let i = 0; i < 150; i++) {
      const answer = await find({ contacts: 12 });
      for (const { at, photos } of answer.exact ? answer.contacts : []) {
        expect(photos[0]?.uploadedAt).toBe(at);
        seen.add(at);
      }
    }
    reading = false;
    await toggling;
    expect(seen).toContain(500_000);
  });
});

describe('contacts whose newest time is wrong', () => {
  it('and who have no photo at all are passed over, and the next ones follow', async () => {
    await start(friendsOnly(12));
    await stores.primary.write('DELETE FROM photos WHERE owner_id IN (2, 4)', []);
    const answer = await find({ contacts: 3 });
    expect(shown(answer)).toEqual(['3', '5', '6']);
    expect(answer.exact).toBe(true);
  });

  it('do not make an answer short in secret when there are too many of them', async () => {
    await start(friendsOnly(12));
    await stores.primary.write('DELETE FROM photos WHERE owner_id < 10', []);
    const answer = await find({ contacts: 2 });
    expect(answer).toMatchObject({ exact: false, reason: 'changed_meanwhile' });
  });

  it('leave a short answer exact when nobody else is left', async () => {
    await start(friendsOnly(3));
    await stores.primary.write('DELETE FROM photos WHERE owner_id = 2', []);
    const answer = await find({ contacts: 20 });
    expect(shown(answer)).toEqual(['3', '4']);
    expect(answer.exact).toBe(true);
  });
});

function addPhoto(id: Id, owner: Id, audience: number, at: number) {
  const statement = 'INSERT INTO photos (id, owner_id, audience, uploaded_at) VALUES (?, ?, ?, ?)';
  return stores.primary.write(statement, [id, owner, audience, at]);
}

function setTimes(owner: Id, at: number) {
  return stores.primary.write('UPDATE users SET last_friends_at = ? WHERE id = ?', [at, owner]);
}

describe('what the photos cost', () => {
  it('is two statements, and one more look only when something changed', async () => {
    await start(friendsOnly(24));
    const before = counting.sent;
    await find({ contacts: 12, photos: 50 });
    expect(counting.sent - before).toBe(2);
  });

  it('is of few statement texts, however many contacts and audiences there are', async () => {
    await start(friendsOnly(30));
    const contacts = Array.from({ length: 30 }, (_, i) => ({ id: String(i + 2), sees: EVERYTHING }));
    const texts = new Set<string>();
    const recording = {
      rows: (text: string, parameters: readonly Parameter[]) => {
        texts.add(text);
        return counting.rows(text, parameters);
      },
    };
    for (const count of [0, 1, 2, 4, 5, 19, 20, 21, 30]) {
      const found = await readPhotos(
        { ...counting, server: recording as unknown as Database },
        USER,
        contacts.slice(0, count),
        5,
      );
      expect([...found.keys()].sort()).toEqual(
        contacts
          .slice(0, count)
          .map(({ id }) => id)
          .sort(),
      );
    }
    expect(texts.size).toBeLessThanOrEqual(4); // of three sizes, and one from before it is known that there are cursors
  });

  it('is the end of an index, also of an owner of 20,000 photos most of which the user may not see', async () => {
    const all = friendsOnly(1);
    const photos = Array.from({ length: 20_000 }, (_, i) => ({
      id: String(i + 1),
      owner: '2',
      audience: i % 1_000 === 0 ? 1 : i % 2 === 0 ? 2 : 4,
      at: 1_000_000 + i,
    }));
    await writeSite(pool, { ...all, photos });
    await stores.primary.rows('ANALYZE TABLE photos', []);
    const read = () => readPhotos(counting, USER, [{ id: '2', sees: EVERYTHING }], 10);
    await read();
    const before = await counting.rowsRead();
    const found = await read();
    expect(found.get('2')?.photos.map(({ id }) => id)).toEqual(
      visiblePhotos({ ...all, photos }, USER, '2')
        .slice(0, 10)
        .map(({ id }) => id),
    );
    expect((await counting.rowsRead()) - before).toBeLessThan(200);
  });
});

describe('the audiences in a bitmask', () => {
  it.each([
    ['0', []],
    ['1', ['0']],
    ['11', ['0', '1', '3']],
    ['9223372036854775808', ['63']],
    ['-9223372036854775808', ['63']],
  ])('%s', (mask, audiences) => {
    expect(audiencesOf(mask)).toEqual(audiences);
  });
});
