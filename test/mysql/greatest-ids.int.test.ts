import { describe, expect, it } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { readCandidates, readCandidatesOfMany } from '../../src/mysql/statements/candidates.ts';
import { comparePairs, readNewestOf } from '../../src/mysql/statements/compared-pairs.ts';
import { readExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import { readFollowers } from '../../src/mysql/statements/followers.ts';
import { readNeighbours, readPairs } from '../../src/mysql/statements/pairs.ts';
import { readPhotos } from '../../src/mysql/statements/photos.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { raiseSeen } from '../../src/mysql/statements/seen.ts';
import { readSourcePhotos } from '../../src/mysql/statements/source-photos.ts';
import { readTopContacts } from '../../src/mysql/statements/top-contacts.ts';
import { freshSitePool, rankedContacts, type SmallSite, visiblePhotos, writeSite } from '../support/small-site.ts';
import { freshStores } from '../support/stores.ts';

/** Around the greatest signed number, and the greatest of all. */
const IDS = ['9223372036854775807', '9223372036854775808', '9223372036854775809', '18446744073709551615'];

/** Everybody follows all others, as a friend, and has for each audience a public and a friend's photo of the same time. */
const SITE: SmallSite = {
  users: IDS,
  ties: IDS.flatMap((user) =>
    IDS.filter((contact) => contact !== user).map((contact) => ({
      ...{ user, contact, friend: true, family: false, active: true },
    })),
  ),
  photos: IDS.flatMap((owner, i) =>
    [0, 1].map((audience) => ({
      id: String(audience === 0 ? 2n ** 63n - 3n + BigInt(2 * i) : 2n ** 64n - 2n - BigInt(i)),
      ...{ owner, audience, at: 1_000 + i },
    })),
  ),
};

describe.each(['column', 'photos'] as const)('ids up to 2^64 - 1, last uploads from the %s', (uploads) => {
  it('are compared as they are in every question', async () => {
    const { url, primary } = await freshStores({ uploads });
    await writeSite(freshSitePool(url), SITE);
    const wrong: string[] = [];
    const check = async (what: string, found: Promise<unknown>, wanted: unknown) => {
      const text = JSON.stringify(await found);
      if (text !== JSON.stringify(wanted)) wrong.push(`${what}: ${text}, not ${JSON.stringify(wanted)}`);
    };
    const askAll = async (isUnseen: (user: string, contact: string) => boolean, seen: string | null) => {
      for (const user of IDS) {
        const others = IDS.filter((id) => id !== user);
        const ranked = rankedContacts(SITE, user, 'any');
        const keys = ranked.map(({ id, at }) => ({ id, at }));
        const shown = ranked.map(({ id, at }) => [id, at, isUnseen(user, id)]);
        const order = (contacts: readonly { id: string; at: number; unseen: boolean }[]) =>
          contacts.map(({ id, at, unseen }) => [id, at, unseen]).sort((a, b) => Number(b[1]) - Number(a[1]));
        const plain = { user, relation: 'any', limit: 9, below: undefined } as const;
        await check(
          'plain',
          readPlain(primary, plain).then(({ contacts }) => order(contacts)),
          shown,
        );
        await check(
          'unseen',
          readPlain(primary, { ...plain, unseen: true }).then(({ contacts }) => order(contacts)),
          shown.filter(([, , unseen]) => unseen),
        );
        await check(
          'top',
          readTopContacts(primary, [user], 9).then(({ tops }) => tops),
          [keys],
        );
        await check(
          'tops',
          readTopContacts(primary, [user, '7'], 9).then(({ tops }) => tops),
          [keys, []],
        );
        await check(
          'all',
          readAllContacts(primary, user).then((rows) => rows.length),
          keys.length,
        );
        await check(
          'followers',
          readFollowers(primary, { owner: user, after: '0' }, 9).then((found) => found.length),
          3,
        );
        for (const contact of others) {
          const pair = { user, contact };
          const at = keys.find(({ id }) => id === contact)?.at;
          const own = shown.filter(([id]) => id === contact);
          const photos = visiblePhotos(SITE, user, contact).map(({ id }) => id);
          const name = `of ${user} and ${contact}`;
          await check(
            `candidates ${name}`,
            readCandidates(primary, user, [contact]).then(({ contacts }) => order(contacts)),
            own,
          );
          await check(
            `of many ${name}`,
            readCandidatesOfMany(primary, [{ user, candidates: [contact] }]).then(({ contacts }) =>
              order(contacts.get(user) ?? []),
            ),
            own,
          );
          await check(
            `pairs ${name}`,
            readPairs(primary, [pair]).then(({ rows }) => rows.map(({ lastUploadAt }) => lastUploadAt)),
            [at],
          );
          await check(
            `neighbours ${name}`,
            readNeighbours(primary, [pair]).then(({ rows }) => rows.map(({ lastUploadAt }) => lastUploadAt)),
            [at],
          );
          await check(
            `explained ${name}`,
            readExplainedContact(primary, user, contact).then(({ row }) => [row?.at, row?.sees, row?.above]),
            [at, '11', keys.findIndex(({ id }) => id === contact)],
          );
          await check(
            `photos ${name}`,
            readPhotos(primary, user, [{ id: contact, sees: '11' }], 5).then((found) => {
              const one = found.get(contact);
              return [one?.unseen, one?.photos.map(({ id }) => id)];
            }),
            [own[0]?.[2], photos],
          );
          for (const order of ['newest first', 'oldest first'] as const)
            await check(
              `source ${name}`,
              readSourcePhotos(primary, { user, source: contact }, '15', {
                ...{ order, above: undefined, below: undefined, limit: 9 },
              }).then(({ relation, photos }) => [relation.sees, relation.seen?.id ?? null, photos.map(({ id }) => id)]),
              [
                '11',
                seen === null ? null : photos.at(Number(seen)),
                order === 'newest first' ? photos : photos.toReversed(),
              ],
            );
          await check(
            `compared ${name}`,
            comparePairs(primary, [pair], 4).then((rows) =>
              rows.map(({ viewSays, photosSay }) => [viewSays, photosSay]),
            ),
            [[at, at]],
          );
          await check(
            `newest ${name}`,
            readNewestOf(primary, [contact], 4).then((rows) => rows.get(contact)),
            [at, at, 0, 0],
          );
        }
      }
    };
    const mark = async (place: number) => {
      for (const { user, contact } of SITE.ties) {
        const photo = visiblePhotos(SITE, user, contact).at(place);
        const cursor = { kind: CONTACTS.name, source: contact, at: photo?.at ?? 0, id: photo?.id ?? '' };
        await raiseSeen(primary, user, [cursor]);
      }
    };
    await askAll(() => true, null);
    expect(primary.statements.view.lastUpload).toBe(uploads === 'column');
    await mark(1); // the older of the two: the other is of the same time, and above it
    await askAll(() => true, '1');
    expect(primary.statements.view.cursors).toBe(true);
    await mark(0);
    await askAll(() => false, '0');
    expect(wrong).toEqual([]);
  });
});
