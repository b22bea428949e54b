import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { refresh } from '../../src/index/refresh.ts';
import { readExplainedContact } from '../../src/mysql/statements/explained-contact.ts';
import { explain } from '../../src/query/explain.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { CountingDatabase } from '../support/counting-database.ts';
import { IDS } from '../support/site-arbitrary.ts';
import { freshSitePool, rankedContacts, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, recentContactsOn, type Stores } from '../support/stores.ts';

const USER = '1';
const LIMITS = { max: 20, min: 2 };

let stores: Stores;

/** A user who has every one of IDS as a contact, some active at the same moment. */
const site: SmallSite = {
  users: [USER, ...IDS],
  ties: IDS.map((contact) => ({ user: USER, contact, friend: false, family: false, active: true })),
  photos: IDS.map((owner, i) => ({ id: String(i + 1), owner, audience: 0, at: 1_000 - Math.floor(i / 3) })),
};

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  await writeSite(freshSitePool(stores.url), site);
  await run(rebuild([USER]), stores.steps);
});

type Between = () => Promise<unknown>;

/** @param between runs before MySQL's row is read, each time with how often it was */
function explained(contact: string, between: (looks: number) => ReturnType<Between>) {
  let looks = 0;
  const recent = recentContactsOn(stores, LIMITS);
  class Interrupted extends ContactsDatabase {
    override async rows(...asked: Parameters<ContactsDatabase['rows']>) {
      looks += 1;
      await between(looks);
      return await super.rows(...asked);
    }
  }
  const database = new Interrupted(stores.url, { connections: 2, queue: 10, deadlineMs: 60_000 });
  onTestFinished(() => database.close());
  return explain({ index: stores.index, database, recent, limits: LIMITS }, USER, contact);
}

/** The contact has a newer photo, and the task of it is done. */
async function upload(contact: string, at: number) {
  await stores.primary.write('UPDATE users SET last_public_at = ? WHERE id = ?', [at, contact]);
  await run(refresh([{ user: USER, contact }]), stores.steps);
}

describe('an explanation', () => {
  it('does not mistake a change between its two reads for drift', async () => {
    const found = await explained('9', async (looks) => {
      if (looks === 1) await upload('9', 2_000);
    });
    expect(found).toMatchObject({
      verdict: 'in_index',
      drift: undefined,
      row: { at: 2_000 },
      index: { entry: { at: 2_000 } },
    });
  });

  it('gives up on an index that keeps changing', async () => {
    let most = 0;
    const found = await explained('9', async (looks) => {
      most = looks;
      await upload('9', 3_000 + looks);
    });
    expect(most).toBe(3);
    expect(found.drift).toBe('score');
  });

  it('reports drift that is still there', async () => {
    let most = 0;
    await stores.primary.write('UPDATE users SET last_public_at = 9000 WHERE id = 20', []);
    const found = await explained('20', async (looks) => {
      most = looks;
    });
    expect({ drift: found.drift, most }).toEqual({ drift: 'score', most: 1 });
    await upload('20', 9_000);
  });
});

describe("a contact's place", () => {
  it('is the one that the order of the index gives, of equal times too', async () => {
    await writeSite(freshSitePool(stores.url), site);
    for (const [above, { id }] of rankedContacts(site, USER, 'any').entries()) {
      const { row } = await readExplainedContact(stores.primary, USER, id);
      expect(row).toMatchObject({ id, above, related: true });
    }
    expect((await readExplainedContact(stores.primary, '2', USER)).row).toBeUndefined();
  });

  it('costs one statement', async () => {
    const database = new CountingDatabase(stores.url);
    await readExplainedContact(database, USER, '9');
    expect(database.sent).toBe(1);
  });
});
