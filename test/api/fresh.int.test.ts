import type { Pool } from 'mysql2/promise';
import { beforeAll, describe, expect, it } from 'vitest';
import { readYourWrites } from '../../src/app/api-queries.ts';
import { isoTime } from '../../src/contracts/http.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { RedisUnavailable } from '../../src/redis/unavailable.ts';
import { addContact, changeRelationship, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { readPlainSql } from '../model/plain-sql.ts';
import { ask, post, startTestApi, type TestApi } from '../support/api.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';

const LIMITS = { max: 24, min: 12 };
const LIMIT = 10;

/** Pairs of a write and a read. RECENCY_FRESH_PAIRS=100000 for a long run. */
const PAIRS = Number(process.env.RECENCY_FRESH_PAIRS ?? 500);
/** On a busy machine. */
const PAIRS_MS = 60_000 + PAIRS * 500;

const USERS = ['1', '2', '3', '4'];
/** Each user has 40 of their own, so that the writes of one say nothing about the answer of another. */
const contactsOf = (user: Id) => Array.from({ length: 40 }, (_, i) => String(Number(user) * 1_000 + i));

let stores: Stores;
let pool: Pool;
let api: TestApi;

const recentOf = (user: Id) => `/v1/users/${user}/contacts/recent?limit=${LIMIT}`;
const read = (user: Id, fresh: string, path = recentOf(user)) =>
  ask(api, path, { headers: { 'Recency-Fresh': fresh } });

beforeAll(async () => {
  stores = await freshStores(LIMITS);
  pool = freshSitePool(stores.url);
  api = await startTestApi(stores, LIMITS);
  const parts = USERS.map((user) => everybodyKnows([user], contactsOf(user)));
  await writeSite(pool, {
    users: parts.flatMap(({ users }) => users),
    ties: parts.flatMap(({ ties }) => ties),
    // A public photo of each contact, and for every third a newer one for friends.
    photos: parts.flatMap(({ photos }) =>
      photos.flatMap((photo, i) => [
        photo,
        ...(i % 3 === 0 ? [{ ...photo, id: `${photo.id}9`, audience: 1, at: photo.at + 500 }] : []),
      ]),
    ),
  });
  await run(rebuild(USERS), stores.steps);
});

/** The whole first page by plain SQL on the site's own tables. */
async function truth(user: Id) {
  const contacts = (await readPlainSql(pool)).get(user) ?? [];
  return contacts.slice(0, LIMIT).map(({ id, at, isFriend, isFamily, unseen }) => ({
    id,
    last_upload_at: isoTime(at),
    relation: [...(isFriend ? ['friend'] : []), ...(isFamily ? ['family'] : [])],
    unseen,
  }));
}

/** A change of a relation from either side. @returns its token */
async function change(user: Id, id: Id, random: () => number): Promise<string> {
  const grant = { friend: random() < 0.5, family: random() < 0.5 };
  const kind = Math.floor(random() * 5);
  if (kind < 2) {
    const versioned = await (kind === 0 ? addContact(pool, user, id, grant) : removeContact(pool, user, id));
    return versioned === null ? `contact=${id}` : `contact=${id}@${versioned}`;
  }
  if (kind === 2) {
    const version = await changeRelationship(pool, user, id, grant);
    return version === null ? `contact=${id}` : `contact=${id}@${version}`;
  }
  // The other side's grant decides what the user sees.
  await (kind === 3 ? addContact(pool, id, user, grant) : removeContact(pool, id, user));
  return `contact=${id}`;
}

/** xorshift32: the same changes for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

describe('with consumers stopped', () => {
  it(
    `shows ${PAIRS} of ${PAIRS} changes in the next read, beside rebuilds, other reads and evictions`,
    async () => {
      let isOver = false;
      const seen = { pairs: 0, index: 0, database: 0 };
      const write = async (user: Id, count: number) => {
        const random = randomOf(Number(user) * 7_919);
        for (let i = 0; i < count; i++) {
          const of = contactsOf(user);
          const many = random() < 0.1 ? 3 : 1;
          const tokens: string[] = [];
          for (let n = 0; n < many; n++)
            tokens.push(await change(user, of[Math.floor(random() * of.length)] ?? '', random));
          const { status, body } = await read(user, tokens.join(', '));
          expect({ status, contacts: body.contacts, exact: body.answer?.exact }, `${user} ${tokens}`).toEqual({
            ...{ status: 200, contacts: await truth(user), exact: true },
          });
          seen.pairs += 1;
          seen[body.answer.source as 'index' | 'database'] += 1;
        }
      };
      const disturb = async () => {
        for (let i = 0; !isOver; i++) {
          const user = USERS[i % USERS.length] ?? '';
          await Promise.all([ask(api, recentOf(user)), run(rebuild([user]), stores.steps)]);
          if (i % 20 === 0) await stores.index.drop([user]);
        }
      };
      const disturbing = disturb();
      await Promise.all(USERS.map((user) => write(user, PAIRS / USERS.length))).finally(() => {
        isOver = true;
      });
      await disturbing;
      console.log(`${seen.pairs} pairs, stale 0; ${seen.index} from the index, ${seen.database} from the database`);
      expect(seen.pairs).toBe(PAIRS);
      expect(seen.index).toBeGreaterThan(PAIRS / 10);
    },
    PAIRS_MS,
  );

  it('shows the change in the photos too', async () => {
    const user = '1';
    const { id } = (await truth(user))[0] ?? { id: '' };
    const version = await removeContact(pool, user, id);
    const path = `/v1/users/${user}/contacts/recent/photos?contacts=3`;
    const { body } = await read(user, `contact=${id}@${version}`, path);
    expect(body.contacts.map((contact: { id: Id }) => contact.id)).toEqual(
      (await truth(user)).slice(0, 3).map((contact) => contact.id),
    );
    expect(body.answer.exact).toBe(true);
  });
});

describe('the header', () => {
  it.each(['contact=x', 'contact=7@0', 'group=12', 'gtid=now', 'contact', 'store=1'])(
    '%s is refused',
    async (fresh) => {
      const { status, body } = await read('1', fresh);
      expect({ status, code: body.code, field: body.field }).toEqual({
        ...{ status: 400, code: 'invalid_header', field: 'Recency-Fresh' },
      });
      expect(body.errors).toEqual([{ field: 'Recency-Fresh', in: 'header', detail: expect.any(String) }]);
    },
  );

  it('may come several times, with up to eight relations in all', async () => {
    const headers = new Headers();
    for (const id of contactsOf('1').slice(0, 8)) headers.append('Recency-Fresh', `contact=${id}`);
    expect((await ask(api, recentOf('1'), { headers })).status).toBe(200);
    headers.append('Recency-Fresh', 'contact=99');
    expect((await ask(api, recentOf('1'), { headers })).body.code).toBe('invalid_header');
  });

  it('says of a version that is not committed that the answer lacks it', async () => {
    const { body } = await read('2', `contact=${contactsOf('2')[0]}@18446744073709551615`);
    expect(body.answer).toMatchObject({ exact: false, reason: 'version_not_committed' });
  });

  it('may hold a position in the binary log, which the primary has anyhow', async () => {
    const { body } = await read('2', 'gtid=0-1-5,1-1-9, contact=7');
    expect(body.answer.exact).toBe(true);
  });

  it('is in the metrics', async () => {
    const { body } = await ask(api, '/metrics');
    expect(body).toMatch(/recency_fresh_reads_total\{outcome="refreshed"\} [1-9]/);
    expect(body).toMatch(/recency_fresh_reads_total\{outcome="behind"\} 1/);
  });
});

describe('POST /v1/tasks?apply=now', () => {
  const path = '/v1/tasks?apply=now';
  const user = '3';
  const task = (contact: Id, version?: string | null) => ({
    type: 'recency.contact.changed',
    user,
    contact,
    ...(version == null ? {} : { version }),
  });

  /** An API whose steps fail in this way. */
  const failing = (steps: Partial<Steps>) => {
    const kinds = [{ kind: CONTACTS, steps: { ...stores.steps, ...steps } }];
    return startTestApi(stores, {
      ...readYourWrites({ kinds, primary: stores.primary, watch: TRUSTED, onFault: () => undefined }),
      ...LIMITS,
    });
  };

  it('applies tasks before it replies, and publishes nothing', async () => {
    await run(rebuild([user]), stores.steps);
    const [first, second] = await truth(user);
    const versions = [
      await removeContact(pool, user, first?.id ?? ''),
      await removeContact(pool, user, second?.id ?? ''),
    ];
    api.accepted.length = 0;
    const tasks = [task(first?.id ?? '', versions[0]), task(second?.id ?? '', versions[1])];
    const { status, body } = await post(api, path, tasks);
    expect({ status, body }).toEqual({ status: 200, body: { applied: 2 } });
    expect(api.accepted).toEqual([]);
    const reading = await stores.index.read(user, 0, false);
    const ids = reading.state === 'warm' ? reading.head.map(({ id }) => id) : [];
    expect(ids.slice(0, LIMIT)).toEqual((await truth(user)).map(({ id }) => id));
    await addContact(pool, user, first?.id ?? '');
    expect((await post(api, path, task(first?.id ?? ''))).body).toEqual({ applied: 1 });
    expect((await ask(api, recentOf(user))).body.contacts[0].id).toBe((await truth(user))[0]?.id);
  });

  it('signals both sides, as their task would have: nobody else will', async () => {
    const signalled: Id[] = [];
    const told = await failing({ signal: async (users) => void signalled.push(...users) });
    expect((await post(told, path, task('3001'))).body).toEqual({ applied: 1 });
    expect(signalled.toSorted()).toEqual(['3', '3001']);
    await ask(told, recentOf(user), { headers: { 'Recency-Fresh': 'contact=3001' } });
    expect(signalled).toHaveLength(2); // a read leaves that to the task of the change
    const away = await failing({ signal: () => Promise.reject(new RedisUnavailable('not there')) });
    expect((await post(away, path, task('3001'))).status).toBe(202);
    expect(away.accepted).toHaveLength(1);
  });

  it('publishes what it cannot apply: a version that is not committed, a lost race, a Redis that is away', async () => {
    const [contact = ''] = contactsOf(user);
    const accepted = { status: 202, body: { accepted: 1, ids: [expect.any(String)] } };
    api.accepted.length = 0;
    expect(await post(api, path, task(contact, '999999'))).toMatchObject(accepted);
    expect(api.accepted.map(({ task }) => task)).toEqual([task(contact, '999999')]);
    const raced = await failing({ apply: async (_epoch, requests) => requests.map(() => 'raced') });
    expect(await post(raced, path, task(contact))).toMatchObject(accepted);
    expect(raced.accepted).toHaveLength(1);
    const away = await failing({ nonces: () => Promise.reject(new RedisUnavailable('not there')) });
    expect(await post(away, path, task(contact))).toMatchObject(accepted);
    expect(away.accepted).toHaveLength(1);
    expect((await ask(away, '/metrics')).body).toMatch(/recency_apply_now_total\{outcome="published"\} 1/);
  });

  it('answers 503 when it can neither apply nor publish', async () => {
    const steps = { ...stores.steps, nonces: () => Promise.reject(new RedisUnavailable('not there')) };
    const nowhere = await startTestApi(stores, {
      ...readYourWrites({
        kinds: [{ kind: CONTACTS, steps }],
        primary: stores.primary,
        watch: TRUSTED,
        onFault: () => undefined,
      }),
      accept: () => Promise.reject(new Error('no broker')),
    });
    const { status, body, headers } = await post(nowhere, path, task('1'));
    expect({ status, code: body.code, retry: headers.get('retry-after') }).toEqual({
      ...{ status: 503, code: 'transport_unavailable', retry: '1' },
    });
  });

  it('leaves time to publish: applying may take half of the deadline', async () => {
    const never: Partial<Steps> = { nonces: () => new Promise(() => undefined) };
    const steps = { ...stores.steps, ...never };
    const slow = await startTestApi(stores, {
      ...readYourWrites({
        kinds: [{ kind: CONTACTS, steps }],
        primary: stores.primary,
        watch: TRUSTED,
        onFault: () => undefined,
      }),
      deadlineMs: 400,
    });
    expect((await post(slow, path, task('1'))).status).toBe(202);
    expect(slow.accepted).toHaveLength(1);
  });

  it('refuses tasks that are no relation, more than eight, and another time', async () => {
    const upload = { type: 'recency.photo.uploaded', owner: '7' };
    const refused = async (body: unknown, at = path) => {
      const { status, body: problem } = await post(api, at, body);
      return [status, problem.code, problem.field];
    };
    api.accepted.length = 0;
    expect(await refused(upload)).toEqual([400, 'invalid_body', 'type']);
    expect(await refused([task('1'), { type: 'recency.user.changed', user }])).toEqual([
      ...[400, 'invalid_body', '[1].type'],
    ]);
    expect(await refused(Array.from({ length: 9 }, () => task('1')))).toEqual([400, 'invalid_body', 'body']);
    expect(await refused(task('1'), '/v1/tasks?apply=later')).toEqual([400, 'invalid_parameter', 'apply']);
    expect(api.accepted).toEqual([]);
  });
});
