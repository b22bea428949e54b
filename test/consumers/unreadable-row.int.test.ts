import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { DelayedWorker } from '../../src/consumers/delayed-worker.ts';
import { TaskConsumer } from '../../src/consumers/task-consumer.ts';
import { TaskWorker, type WorkSizes } from '../../src/consumers/work-plan.ts';
import { planTaskOf } from '../../src/contracts/bulk-task.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { DeliveredTask } from '../../src/contracts/task.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { run, type Steps } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { BulkLaneUnavailable } from '../../src/index/store-fault.ts';
import type { DeadLetters } from '../../src/transport/dead-letters.ts';
import type { BatchHandler, Delivery, Loss, TaskSource } from '../../src/transport/task-source.ts';
import { expectExact } from '../support/exact.ts';
import { segmentTasksOf } from '../support/segment-tasks.ts';
import { sql } from '../support/servers.ts';
import { everybodyKnows, freshSitePool, writeSite } from '../support/small-site.ts';
import { freshStores, type Stores } from '../support/stores.ts';
import { TRUSTED } from '../support/trust.ts';

const LIMITS = { max: 4, min: 2 };
const USERS = Array.from({ length: 30 }, (_, i) => String(1 + i));
const CONTACTS = Array.from({ length: 12 }, (_, i) => String(101 + i));
const OWNER = '101';
/** A user whose rows cannot be read. */
const BAD = '17';

let stores: Stores;

beforeEach(async () => {
  stores = await freshStores(LIMITS);
  await writeSite(freshSitePool(stores.url), everybodyKnows(USERS, CONTACTS));
  await run(rebuild(USERS), stores.steps);
  await sql(stores.url, 'RENAME TABLE recency_contacts TO readable_contacts');
  await stores.primary.write('UPDATE users SET last_public_at = 9000 WHERE id = ?', [OWNER]);
});

const COLUMNS = 'user_id, contact_id, related, last_upload_at, sees, is_friend, is_family, since';
const VIEWS = {
  'a column': `SELECT ${COLUMNS}, read_version(user_id, version) AS version FROM readable_contacts`,
  'the WHERE': `SELECT ${COLUMNS}, version FROM readable_contacts WHERE read_version(user_id, version) > 0`,
};

/** Errors of both servers that a row may cause, each with its SQLSTATE. */
const ERRORS = {
  'what a function raises': ['45000', 1644],
  'a value among access errors': ['42000', 1172], // ER_TOO_MANY_ROWS
  'an error that is not known': ['HY000', 3691], // ER_REGEXP_MISMATCHED_PAREN
  'an access error that is not known': ['42000', 1425], // ER_TOO_BIG_SCALE
} as const;

async function makeUnreadable(part: keyof typeof VIEWS, error: keyof typeof ERRORS): Promise<void> {
  const [state, errno] = ERRORS[error];
  await sql(
    stores.url,
    `CREATE FUNCTION read_version(viewer BIGINT UNSIGNED, version BIGINT UNSIGNED) RETURNS BIGINT UNSIGNED DETERMINISTIC
     BEGIN
       IF viewer = ${BAD} THEN
         SIGNAL SQLSTATE '${state}' SET MYSQL_ERRNO = ${errno}, MESSAGE_TEXT = 'this row cannot be read';
       END IF;
       RETURN version;
     END`,
    `CREATE VIEW recency_contacts AS ${VIEWS[part]}`,
  );
}

/** Works on a batch of these tasks as a consumer does. */
async function consume(
  tasks: readonly DeliveredTask[],
  { lane = 'small', pageSize = 100, segmentSize = 100, ...more }: Partial<WorkSizes & Steps> = {},
) {
  const letters: Parameters<DeadLetters['put']>[0][number][] = [];
  const losses: Loss[] = [];
  const published: DeliveredTask[] = [];
  const steps: Steps = { ...stores.steps, publish: async (some) => void published.push(...some), ...more };
  const deliveries = tasks.map((task, i): Delivery => {
    return { position: `kafka:t:0:${i}`, body: Buffer.from(JSON.stringify(task)), headers: {}, timestamp: -1 };
  });
  const source = {
    run: (handler: BatchHandler) => handler({ deliveries, lease: { renew: async () => undefined } }),
  } as unknown as TaskSource;
  const consumer = new TaskConsumer({
    watch: TRUSTED,
    source,
    worker: new TaskWorker({ steps, lane, pageSize, segmentSize, answers: async () => true }),
    deadLetters: { put: async (some) => void letters.push(...some) },
    onLoss: async (loss) => void losses.push(loss),
    answers: async () => true,
    logger: pino({ level: 'silent' }),
  });
  await consumer.run();
  return { letters, losses, published };
}

const bodyOf = ({ delivery }: { delivery: Delivery }) => JSON.parse(String(delivery.body));

async function expectOnlyBadIsCold(): Promise<void> {
  for (const user of USERS.filter((one) => one !== BAD)) await expectExact(stores, LIMITS, user, `user ${user}`);
  expect(await stores.index.read(BAD, 0, false)).toMatchObject({ state: 'cold' });
}

describe.each([
  ['a column', 'what a function raises'],
  ['a column', 'an access error that is not known'],
  ['the WHERE', 'what a function raises'],
  ['the WHERE', 'a value among access errors'],
  ['the WHERE', 'an error that is not known'],
] as const)('a row that cannot be read, in %s, because of %s,', (part, error) => {
  beforeEach(() => makeUnreadable(part, error));

  it.each<[string, 'small' | 'bulk', readonly DeliveredTask[]]>([
    ['an upload', 'small', [{ type: 'recency.photo.uploaded', owner: OWNER }]],
    ['a segment', 'bulk', segmentTasksOf(planTaskOf('contacts', OWNER, 'x'), [])],
    ['two uploads', 'small', [OWNER, '102'].map((owner) => ({ type: 'recency.photo.uploaded', owner }) as const)],
    ['uploads by all of them', 'small', CONTACTS.map((owner) => ({ type: 'recency.photo.uploaded', owner }) as const)],
  ])(
    'of one follower holds up no other in %s: that user is cold, and the pair alone is set aside',
    async (_, lane, tasks) => {
      const signalled: Id[] = [];
      const signal = async (users: readonly Id[]) => void signalled.push(...users);
      const { letters, losses } = await consume(tasks, { lane, signal });
      expect([...new Set(signalled)].sort()).toEqual([...USERS].sort());
      await expectOnlyBadIsCold();
      expect(losses).toEqual([]);
      const task = { type: 'recency.contact.changed', user: BAD };
      expect(letters.map(bodyOf)).toEqual(tasks.map((of) => ({ ...task, contact: 'owner' in of ? of.owner : OWNER })));
      expect(letters[0]?.failure.message).toContain('this row cannot be read');
      expect(letters.map(({ failure }) => failure.attempts)).toEqual(letters.map(() => 1));
    },
  );

  it('of a relationship leaves the other side and all other tasks alone', async () => {
    await stores.primary.write('UPDATE users SET last_public_at = 1000 WHERE id = ?', [OWNER]); // as it was
    await stores.primary.write('UPDATE contacts SET active = FALSE WHERE contact_id = 106', []);
    const tasks = USERS.map((user) => ({ type: 'recency.contact.removed', user, contact: '106' }) as const);
    const { letters, losses } = await consume(tasks);
    await expectOnlyBadIsCold();
    expect(letters.map(bodyOf)).toEqual([{ type: 'recency.contact.changed', user: BAD, contact: '106' }]);
    expect(losses).toEqual([]);
  });

  it('with a version is looked at again for two seconds, and then set aside; until then it is a change on its way', async () => {
    const task = { type: 'recency.contact.changed', user: BAD, contact: '106', version: '1' } as const;
    expect((await consume([task])).letters).toEqual([]);
    expect(await stores.index.read(BAD, 0, false)).toMatchObject({ state: 'cold' });
    const letters: Parameters<DeadLetters['put']>[0][number][] = [];
    const deadLetters = { put: async (some: typeof letters) => void letters.push(...some) };
    const parts = { watch: TRUSTED, answers: async () => true, deadLetters, logger: pino({ level: 'silent' }) };
    const worker = new DelayedWorker({ ...stores, ...parts });
    const attempt = async () =>
      Number((await stores.primary.rows('SELECT attempt FROM recency_outbox WHERE is_recheck = TRUE', []))[0]?.[0]);
    expect(await attempt()).toBe(1);
    await stores.primary.write('UPDATE recency_outbox SET due_at = 1', []);
    await worker.runOnce();
    expect([await attempt(), letters.length]).toEqual([2, 0]);
    const waiting = async () =>
      [...(await stores.rechecks.changes.pendingFor([EVERYBODY])).values()].map(({ size }) => size);
    expect(await waiting()).toEqual([1]);
    await stores.primary.write('UPDATE recency_outbox SET due_at = 1', []);
    await worker.runOnce();
    expect([await attempt(), letters.length]).toEqual([3, 0]);
    await stores.primary.write('UPDATE recency_outbox SET due_at = 1', []);
    await worker.runOnce();
    expect(await waiting()).toEqual([0]);
    expect(letters.map(bodyOf)).toEqual([{ type: 'recency.contact.changed', user: BAD, contact: '106' }]);
  });

  it('in a large audience leaves the upload, its plan and all other segments alone', async () => {
    const { published: plans, ...upload } = await consume([{ type: 'recency.photo.uploaded', owner: OWNER }], {
      pageSize: 20,
    });
    const { published, ...plan } = await consume(plans, { lane: 'bulk', segmentSize: 9 });
    expect([upload, plan]).toEqual(Array(2).fill({ letters: [], losses: [] }));
    expect(published.length).toBeGreaterThan(1);
    const { letters, losses } = await consume(published, { lane: 'bulk', pageSize: 4 });
    await expectOnlyBadIsCold();
    expect([letters.map(bodyOf), losses]).toEqual([
      [{ type: 'recency.contact.changed', user: BAD, contact: OWNER }],
      [],
    ]);
  });
});

describe('a column that cannot be read', () => {
  beforeEach(() => makeUnreadable('a column', 'what a function raises'));

  it('among the watched followers lets the plan go on', async () => {
    const watch = `
      INSERT INTO recency_watches
        (user_id, channel, secrets, kinds, relation, muted, interval_ms, ended, told, version, created_at)
      VALUES (?, 'kafka', '[]', 'contacts', 'all', '[]', 0, NULL, '{}', 1, 0)`;
    for (const user of [BAD, '5']) await stores.primary.write(watch, [user]);
    const { letters, losses, published } = await consume([planTaskOf('contacts', OWNER, 'x')], { lane: 'bulk' });
    expect([letters, losses]).toEqual([[], []]);
    expect(published).toMatchObject([{ part: 1 }]);
    await expectExact(stores, LIMITS, '5', 'a watched follower');
  });
});

describe('a task that cannot be applied at all', () => {
  beforeEach(() => sql(stores.url, 'RENAME TABLE readable_contacts TO recency_contacts'));

  it('counts as a loss, because nobody knows whom it concerned', async () => {
    const nonces = () => Promise.reject(new RangeError('not a nonce'));
    const { letters, losses } = await consume([{ type: 'recency.photo.uploaded', owner: OWNER }], { nonces });
    expect(letters).toHaveLength(1);
    expect(losses).toMatchObject([{ reason: 'set_aside', detail: expect.stringContaining('not a nonce') }]);
  });

  it('is given back while the bulk lane takes nothing', async () => {
    const steps = {
      followers: async () => [USERS, USERS, USERS, USERS].map((some) => [...some, ...some, ...some, ...some]),
      publish: () => Promise.reject(new BulkLaneUnavailable(new Error('the stream is full'))),
    };
    const upload = { type: 'recency.photo.uploaded', owner: OWNER } as const;
    await expect(consume([upload], steps)).rejects.toThrow('the stream is full');
  });
});
