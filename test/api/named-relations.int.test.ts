/** Relations that a site names: bits of a column of `recency_contacts`. */

import fc from 'fast-check';
import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTACTS, GROUPS } from '../../src/contracts/kind.ts';
import { checkColumns, checkSchema } from '../../src/health/check-mysql.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { REFERENCE_VIEWS } from '../../src/mysql/reference-views.ts';
import { readAllContacts } from '../../src/mysql/statements/all-contacts.ts';
import { readPlain } from '../../src/mysql/statements/plain-contacts.ts';
import { expectedAnswer, inOrder } from '../../src/repair/answer-check.ts';
import { siteOf } from '../../src/site/site.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { cases } from '../support/cases.ts';
import { withGroups } from '../support/groups-api.ts';
import { freshSitePool, type SmallSite, writeSite } from '../support/small-site.ts';
import { freshStores, kindStoresOn, type Stores } from '../support/stores.ts';

const LIMITS = { max: 6, min: 3 };
const USER = '1';
const OWNERS = Array.from({ length: 12 }, (_, i) => String(i + 2));
const PROPERTY_MS = 120_000;

const NAMED = siteOf({ kinds: ['contacts'], separateIds: 'false', relations: ['bell:0', 'close:30'] });

const SITE: SmallSite = {
  users: [USER, ...OWNERS],
  ties: OWNERS.map((contact) => ({ user: USER, contact, friend: contact === '2', family: false, active: true })),
  photos: OWNERS.map((owner, i) => ({ id: owner, owner, audience: 0, at: 1_000 - i })),
};

let stores: Stores;
let pool: Pool;
let api: TestApi;

async function view(bits: string): Promise<void> {
  const select = REFERENCE_VIEWS.get(CONTACTS.view)?.select(new Set()) ?? '';
  const extended = select.replace('contacts.version', `contacts.version, ${bits}`);
  await pool.query(`CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW recency_contacts AS ${extended}`);
}

beforeAll(async () => {
  stores = await freshStores({ kinds: [CONTACTS, GROUPS], site: NAMED, ...LIMITS });
  pool = freshSitePool(stores.url);
  await pool.query('ALTER TABLE contacts ADD bits BIGINT UNSIGNED NULL');
  await view('contacts.bits');
  api = await startTestApi(stores, {
    ...LIMITS,
    ...withGroups(stores, kindStoresOn(stores, GROUPS, { site: NAMED, ...LIMITS }), LIMITS),
  });
});

/** As the view has them, in the order of `OWNERS`. */
async function write(bits: readonly (string | null)[]): Promise<void> {
  await writeSite(pool, SITE);
  for (const [i, value] of bits.entries()) {
    await pool.query('UPDATE contacts SET bits = ? WHERE contact_id = ? AND user_id = ?', [value, OWNERS[i], USER]);
  }
  await stores.index.drop([USER]);
}

const user = (path: string) => ask(api, `/v1/users/${USER}/${path}`);
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

// Also bits without a name, the sign, and more than a double holds.
const column = fc.constantFrom(null, '0', '1', '2', '1073741824', '1073741825', '2147483648', '18446744073709551615');
const isSet = (value: string | null, bit: number) => ((BigInt(value ?? 0) >> BigInt(bit)) & 1n) === 1n;

describe('relation=', () => {
  it(
    'of a name gives those whose bit is set, wherever the answer comes from',
    async () => {
      const all = fc.array(column, { minLength: OWNERS.length, maxLength: OWNERS.length });
      const relation = fc.constantFrom('bell', 'close');
      await fc.assert(
        fc.asyncProperty(all, relation, fc.integer({ min: 1, max: 8 }), async (bits, name, limit) => {
          await write(bits);
          const wanted = OWNERS.filter((_, i) => isSet(bits[i] ?? null, name === 'bell' ? 0 : 30));
          const first = wanted.slice(0, limit);
          const path = `contacts/recent?relation=${name}&limit=${limit}`;
          const cold = await user(path);
          await run(rebuild([USER], true), stores.steps);
          const answers = [cold, await user(path), await user(`${path}&consistency=strong`)];
          for (const { body } of answers) expect(idsOf(body.contacts)).toEqual(first);
          const next = answers[1]?.body.next;
          if (next)
            expect(idsOf((await user(`${path}&after=${next}`)).body.contacts)).toEqual(wanted.slice(limit, 2 * limit));
          const photos = await user(`contacts/recent/photos?relation=${name}&contacts=${limit}`);
          expect(idsOf(photos.body.contacts)).toEqual(first);
          expect((await user(`contacts/unseen?relation=${name}`)).body.count).toBe(wanted.length);
          const many = await post(api, '/v1/recent', JSON.stringify({ users: [USER], relation: name, limit }));
          expect(idsOf(many.body.answers[0].contacts)).toEqual(first);
          const rows = inOrder(await readAllContacts(stores.primary, USER));
          const { lines } = expectedAnswer(rows, { relation: name, limit, page: 0 });
          expect(lines.map((line) => line.split(' ')[0])).toEqual(first);
        }),
        { numRuns: cases(15) },
      );
    },
    PROPERTY_MS,
  );

  it('is shown with friend and family, also by explain; a kind without relations has none', async () => {
    await write(['1073741825', '1']);
    const relations = ['friend', 'bell', 'close'];
    for (const path of [
      'contacts/recent?limit=2',
      'contacts/recent/photos?contacts=2',
      'contacts/recent?limit=2&relation=bell',
    ]) {
      const { body } = await user(path);
      expect(body.contacts.map(({ relation }: { relation: string[] }) => relation)).toEqual([relations, ['bell']]);
    }
    expect((await user('contacts/2/explain')).body.mysql).toMatchObject({ relation: relations });
    expect((await user('recent?limit=1')).body.sources[0].relation).toEqual(relations);
    expect((await user('groups/recent')).status).toBe(200);
    expect((await user('groups/recent?relation=bell')).status).toBe(400);
  });

  it('of an unknown name is refused, with the known ones', async () => {
    const detail = 'must be one of any, friends, family, friends_or_family, bell, close';
    for (const list of ['recent', 'recent/photos', 'unseen', 'recent/stream']) {
      const { status, body } = await user(`contacts/${list}?relation=bells`);
      expect([status, body.errors], list).toEqual([400, [{ field: 'relation', in: 'query', detail }]]);
    }
    const bodies = { '/v1/recent': { users: [USER] }, '/v1/watches': { user: USER, channel: 'kafka' } };
    for (const [path, body] of Object.entries(bodies)) {
      const refused = await post(api, path, JSON.stringify({ ...body, relation: 'bells' }));
      expect([refused.status, refused.body.errors], path).toEqual([400, [{ field: 'relation', in: 'body', detail }]]);
    }
    await expect(
      readPlain(stores.primary, { user: USER, relation: 'bells', limit: 1, below: undefined }),
    ).rejects.toThrow('bells is no relation');
  });

  it('can be watched', async () => {
    const made = await post(api, '/v1/watches', JSON.stringify({ user: USER, channel: 'kafka', relation: 'close' }));
    expect(made.status).toBe(201);
    expect((await ask(api, `/v1/watches/${made.body.id}`)).body.relation).toBe('close');
  });

  it('needs the column, and whole numbers in it', async () => {
    await view("'1' AS bits");
    await expect(checkColumns(stores.primary, NAMED)).rejects.toThrow(
      /recency_contacts.bits is of type varchar.*as bits/,
    );
    await view('1 AS other');
    await expect(checkSchema(stores.primary, 'site', NAMED)).rejects.toThrow(/recency_contacts lacks .*bits/);
  });
});
