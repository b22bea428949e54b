import { Kafka } from 'kafkajs';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { checkPlans } from '../../src/health/check-mysql.ts';
import type { Finding } from '../../src/health/finding.ts';
import { suspendForLoss } from '../../src/index/epoch.ts';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import { proofOf } from '../../src/mysql/session.ts';
import { findPlanProblems } from '../../src/mysql/view-checks.ts';
import { AppliedMoments } from '../../src/redis/applied-moments.ts';
import { type SamplerReport, SamplerReports } from '../../src/repair/sampler/report.ts';
import { startRedis } from '../../src/tools/devservers/start-server.ts';
import type { Settings } from '../support/cli.ts';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { startWatch } from '../support/epoch-watch.ts';
import { runInProcess } from '../support/in-process.ts';
import { readyTransport } from '../support/opened-process.ts';
import { LibrdkafkaProducer, whyNoLibrdkafka } from '../support/other-producers.ts';
import { freshName, freshPrefix, hasKafka, kafkaBrokers, mysqlUrl, sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis, migratedDatabase } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { leaveOutUploads } from '../support/without-uploads.ts';
import { freshTasks } from '../transport/outgoing-task.ts';
import { open } from '../transport/place.ts';

let settings: Settings & { MYSQL_URL: string };
beforeAll(async () => {
  settings = await serviceSettings();
});

async function doctor(changes: Settings = {}) {
  const { code, json, stderr } = await runInProcess(['doctor', '--json'], { ...settings, ...changes });
  expect(stderr).toBe('');
  const [report] = json() as { findings: Finding[]; problems: number; warnings: number }[];
  const find = (area: string, check: string) =>
    report?.findings.find((finding) => finding.area === area && finding.check === check);
  return { code, report, find };
}

async function migrated(...statements: string[]): Promise<string> {
  const url = await migratedDatabase();
  await sql(url, ...statements);
  return url;
}

describe('doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const { code, report } = await doctor();
    expect(report?.findings.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(code).toBe(0);
    const areas = [...new Set(report?.findings.map(({ area }) => area))];
    expect(areas).toEqual(['settings', 'mysql', 'redis', 'streams', 'backlog', 'consistency']);
  });

  it.runIf(hasKafka())('looks at the brokers as well', async () => {
    const kafka = await serviceSettings('kafka');
    const before = await doctor(kafka);
    expect(before.find('kafka', 'topics')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^not all of the topics/),
    });
    expect(before.report?.findings.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(before.find('backlog', 'outbox')).toMatchObject({ state: 'fine' });
    await readyTransport(kafka);
    // A moment after its topics were created the broker knows all of them.
    const { report, find } = await until(async () => {
      const told = await doctor(kafka);
      return /all in sync\n.*all in sync\n.*all in sync$/.test(told.find('kafka', 'partitions')?.detail ?? '') && told;
    });
    expect(find('kafka', 'reachable')?.state).toBe('fine');
    expect(report?.findings.filter(({ state }) => state === 'problem')).toEqual([]);
    const { TOPIC } = kafka;
    const ofEach = (text: string) => ['', '.bulk', '.dlq'].map((end) => `${TOPIC}${end}: ${text}`).join('\n');
    const said = report?.findings.filter(({ area }) => area === 'kafka').map(({ check, detail }) => [check, detail]);
    expect(said).toEqual([
      ['reachable', 'answers'],
      ['cluster', 'the same as in the other processes'],
      [
        'consumers',
        `no consumer in the group ${TOPIC}, 0 tasks wait\nno consumer in the group ${TOPIC}.bulk, 0 tasks wait`,
      ],
      ['transactions', `${TOPIC}: none holds back messages\n${TOPIC}.bulk: none holds back messages`],
      ['partitions', `${TOPIC}: 6, all in sync\n${TOPIC}.bulk: 24, all in sync\n${TOPIC}.dlq: 1, all in sync`],
      ['replication factor', expect.stringContaining(`${TOPIC}.bulk: 1`)],
      ['min.insync.replicas', ofEach('1 of 1')],
      ['cleanup.policy', ofEach('delete')],
      ['retention.ms', `${TOPIC}: 7.0 days\n${TOPIC}.bulk: 7.0 days\n${TOPIC}.dlq: 30.0 days`],
      ['retention.bytes', ofEach('no limit')],
      ['max.message.bytes', expect.stringContaining(`${TOPIC}.dlq: 4194304`)],
      ['compression.type', ofEach('producer')],
    ]);
  });

  it.runIf(hasKafka())('finds that nobody consumes, and what is wrong with the topics', async ({ skip }) => {
    const missing = await whyNoLibrdkafka();
    skip(missing !== undefined, missing);
    const kafka = await serviceSettings('kafka');
    const TOPIC = String(kafka.TOPIC);
    const opened = await open({ kind: 'kafka', brokers: kafkaBrokers(), topic: TOPIC });
    onTestFinished(() => opened.close());
    await readyTransport(kafka);
    await opened.publisher.publish(freshTasks(60));
    const admin = new Kafka({ brokers: kafkaBrokers(), logLevel: 0 }).admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    // At least 60: a topic that is new may take some of them twice.
    const published = (await admin.fetchTopicOffsets(TOPIC)).reduce((sum, { high }) => sum + Number(high), 0);
    await using transaction = await LibrdkafkaProducer.open(kafkaBrokers(), { 'transactional.id': TOPIC });
    await transaction.begin();
    await transaction.send(TOPIC, ['x', 'y']);
    const harmful = {
      ...{ 'cleanup.policy': 'compact', 'retention.ms': '60000', 'retention.bytes': '1000000' },
      ...{ 'min.insync.replicas': '2', 'max.message.bytes': '50000', 'compression.type': 'zstd' },
    };
    const configEntries = Object.entries(harmful).map(([name, value]) => ({ name, value }));
    await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: TOPIC, configEntries }] });
    // The broker learns later than the controller what was altered.
    const { code, find } = await until(async () => {
      const told = await doctor(kafka);
      return told.find('kafka', 'cleanup.policy')?.state === 'problem' && told;
    });
    expect(code).toBe(1);
    expect(find('kafka', 'consumers')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(`^no consumer in the group .*, (${published + 2}|${published + 3}) tasks wait\n`),
      mend: expect.stringContaining('recency consume'),
    });
    expect(find('kafka', 'transactions')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/, partition 0: 2 messages wait behind one open since \d+$/m),
    });
    expect(find('kafka', 'cleanup.policy')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('compact: compaction removes tasks'),
      mend: `kafka-configs.sh --alter --entity-type topics --entity-name ${TOPIC} --add-config cleanup.policy=delete`,
    });
    expect(find('kafka', 'min.insync.replicas')).toMatchObject({ state: 'problem' });
    expect(find('kafka', 'max.message.bytes')).toMatchObject({ state: 'problem' });
    expect(find('kafka', 'retention.ms')).toMatchObject({ state: 'problem' });
    expect(find('kafka', 'retention.bytes')).toMatchObject({ state: 'warning' });
    expect(find('kafka', 'compression.type')).toMatchObject({ state: 'fine', detail: expect.stringContaining('zstd') });
  });

  it('says that the epoch is suspended, since when, why and until what, as `epoch show` does; `epoch bump` ends it', async () => {
    const own = { ...settings, ...(await serviceSettings()) };
    const database = new ContactsDatabase(own.MYSQL_URL, { connections: 1, queue: 10, deadlineMs: 60_000 });
    onTestFinished(() => database.close());
    await suspendForLoss(database, ['kafka:t:g, partition 3'], 'tasks were lost: gap: partition 3: 5…9 are gone');
    const { code, find } = await doctor(own);
    expect(code).toBe(0);
    expect(find('mysql', 'epoch')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^suspended since \d{4}-.*: tasks were lost: gap: .*kafka:t:g, partition 3/s),
      mend: expect.stringContaining('recency epoch bump'),
    });
    const show = async () => (await runInProcess(['epoch', 'show', '--json'], own)).json()[0];
    expect(await show()).toMatchObject({
      suspended: true,
      why: 'tasks were lost: gap: partition 3: 5…9 are gone',
      waits_for: [{ place: 'kafka:t:g, partition 3', end: null }],
    });
    expect((await runInProcess(['epoch', 'show'], own)).stdout).toMatch(/^Suspended since .*\n.*\n {2}kafka:t:g, /);
    expect((await runInProcess(['repair'], own)).code).toBe(1);
    expect((await runInProcess(['epoch', 'bump', '--why', 'that partition is gone'], own)).code).toBe(0);
    expect(await show()).toMatchObject({ suspended: false, why: 'that partition is gone', waits_for: [] });
  });

  it('says for people what is wrong and how to fix it', async () => {
    const { code, stdout } = await runInProcess(['doctor'], { ...settings, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM {2}redis: reachable: No Redis answers at/m);
    expect(stdout).toMatch(/^ok {7}mysql: reachable: answers$/m);
    expect(stdout).toMatch(/\n2 problems, \d warnings?\.\n$/);
  });

  it('names each setting that is wrong', async () => {
    const { code, report } = await doctor({ MIN: '50', PORT: 'x' });
    expect(code).toBe(1);
    expect(report?.findings).toEqual([
      expect.objectContaining({
        area: 'settings',
        check: 'RECENCY_PORT',
        state: 'problem',
        mend: 'Fix RECENCY_PORT.',
      }),
    ]);
  });

  it('finds MySQL away, and goes on with the rest', async () => {
    const { code, find } = await doctor({ MYSQL_URL: 'mysql://root@127.0.0.1:1/x', START_TIMEOUT_MS: '500' });
    expect(code).toBe(1);
    expect(find('mysql', 'reachable')?.detail).toMatch(/^No MySQL answers/);
    expect(find('redis', 'maxmemory-policy')).toBeDefined();
    expect(find('backlog', 'outbox')).toBeUndefined();
  });

  it('finds rows of the outbox that nobody publishes', async () => {
    const url = await migrated(
      "INSERT INTO recency_outbox (type, user_id, created_at) VALUES ('recency.user.deleted', 1, UNIX_TIMESTAMP() * 1000 - 90000)",
    );
    const { code, find } = await doctor({ MYSQL_URL: url });
    expect(find('backlog', 'outbox')).toMatchObject({
      state: 'problem',
      mend: expect.stringContaining('recency relay'),
    });
    expect(code).toBe(1);
  });

  it('says whose the indexes are', async () => {
    const [prefix, redis] = [freshPrefix(), await freshRedis()];
    const found = async () => (await doctor({ KEY_PREFIX: prefix })).find('redis', 'owner');
    expect(await found()).toMatchObject({ state: 'fine', detail: 'the indexes in Redis belong to this MySQL' });
    const owner = { id: 'another', epoch: tokenOn(proofOf('uuid:of-a-copy'), 'T1......'), seenAt: 0, replaced: {} };
    await redis.set(`${prefix}:owner`, JSON.stringify(owner));
    expect(await found()).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('belong to another MySQL server'),
      mend: expect.stringContaining('RECENCY_KEY_PREFIX'),
    });
  });

  it.each([
    ['redis', 'index', 'REDIS_URL'],
    ['streams', 'streams', 'STREAMS_URL'],
  ] as const)('says whether the Redis of %s is the one that the processes use', async (area, role, setting) => {
    await using first = await startRedis();
    await using second = await startRedis();
    const url = await migrated();
    const primary = new ContactsDatabase(url, { connections: 2, queue: 100, deadlineMs: 60_000 });
    onTestFinished(() => primary.close());
    const found = async (on: string) => (await doctor({ MYSQL_URL: url, [setting]: on })).find(area, 'record');
    const use = async (on: string) =>
      void (await startWatch({ redis: await freshRedis(on), primary }, { roles: [role], ownership: undefined }));
    expect(await found(first.url)).toMatchObject({
      state: 'fine',
      detail: expect.stringContaining('none is on record'),
    });
    await use(first.url);
    expect(await found(first.url)).toEqual({ area, check: 'record', state: 'fine', detail: 'the one on record' });
    expect(await found(second.url)).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching('^not the one on'),
    });
    await use(second.url);
    expect(await found(first.url)).toMatchObject({
      state: 'problem',
      detail: 'was replaced as the one on record, and what replaced it is in use',
      mend: expect.stringContaining('every process to the same master'),
    });
    expect(await found(second.url)).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^the one on record; another, which it replaced, was last seen \d+ s ago$/),
    });
  });

  it('names a lane that nobody consumes: before anybody has, and when something waits in it for too long', async () => {
    const [prefix, redis] = [freshPrefix(), await freshRedis()];
    const found = async () =>
      (await doctor({ KEY_PREFIX: prefix, TOPIC: 't', KAFKA_GROUP: 'g' })).find('backlog', 'bulk lane');
    const consume = (lane: string) => redis.xgroup('CREATE', `${prefix}:t${lane}`, `g${lane}`, '0', 'MKSTREAM');
    await consume('');
    const waits = (age: string) => ({
      ...{ state: 'warning', mend: expect.stringContaining('the bulk lane') },
      detail: expect.stringMatching(`^1 plans and segments of large audiences wait, ${age}$`),
    });
    await redis.xadd(`${prefix}:t.bulk`, '*', 'a', 'plan');
    expect(await found(), 'no consumer has ever run').toMatchObject(waits('nobody knows for how long'));
    await consume('.bulk');
    await new AppliedMoments(redis, prefix).save(() => ({ bulk: 45_000 }));
    expect(await found()).toMatchObject(waits('the oldest for \\d+\\.\\d s at most'));
    await redis.xtrim(`${prefix}:t.bulk`, 'MAXLEN', 0);
    expect(await found()).toMatchObject({ state: 'fine', detail: '0 plans and segments of large audiences wait' });
  });

  it('says how old the oldest change is that is not applied, if a process has known it; otherwise that nobody knows', async () => {
    const url = await migrated("INSERT INTO recency_outbox (type, user_id) VALUES ('recency.user.deleted', 1)");
    const prefix = freshPrefix();
    const found = async () =>
      (await doctor({ MYSQL_URL: url, KEY_PREFIX: prefix })).find('backlog', 'oldest unapplied');
    expect(await found()).toMatchObject({ state: 'warning', detail: 'small lane not known, bulk lane not known' });
    const moments = new AppliedMoments(await freshRedis(), prefix);
    await moments.save(() => ({ small: 30_000, bulk: 30_000 }));
    expect(await found()).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^small lane \d+\.\d s, bulk lane \d+\.\d s$/),
      mend: expect.stringContaining('docs/runbook.md'),
    });
    const late = freshPrefix();
    await new AppliedMoments(await freshRedis(), late).save(() => ({ small: 3_600_000, bulk: 3_600_000 }));
    const { code, find } = await doctor({ MYSQL_URL: url, KEY_PREFIX: late });
    expect(find('backlog', 'oldest unapplied')?.state).toBe('problem');
    expect(code).toBe(1);
  });

  it('does not take rows of a clock that is ahead for new ones', async () => {
    const url = await migrated(
      "INSERT INTO recency_outbox (type, user_id, created_at) VALUES ('recency.user.deleted', 1, UNIX_TIMESTAMP() * 1000 + 3600000)",
    );
    expect((await doctor({ MYSQL_URL: url })).find('backlog', 'outbox')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/^1 rows wait, the oldest for 0.0 s; 1 of them dated in the future/),
      mend: expect.stringContaining('clocks'),
    });
  });

  it('tells re-checks from rows that wait to be published, and finds that nobody does them', async () => {
    const columns = 'type, user_id, other_id, version, attempt, is_recheck, due_at';
    const row = (due: string) => `('recency.contact.changed', 1, 2, 3, 1, TRUE, UNIX_TIMESTAMP() * 1000 + ${due})`;
    const waiting = await migrated(`INSERT INTO recency_outbox (${columns}) VALUES ${row('3600000')}`);
    const { find } = await doctor({ MYSQL_URL: waiting });
    expect(find('backlog', 'outbox')).toMatchObject({ state: 'fine', detail: 'no row waits' });
    expect(find('backlog', 're-checks')).toMatchObject({ state: 'fine', detail: '1 wait' });
    const overdue = await migrated(`INSERT INTO recency_outbox (${columns}) VALUES ${row('-90000')}`);
    expect((await doctor({ MYSQL_URL: overdue })).find('backlog', 're-checks')).toMatchObject({
      state: 'warning',
      mend: expect.stringContaining('recency consume'),
    });
  });

  it('finds missing rights', async () => {
    const user = freshName();
    const database = new URL(settings.MYSQL_URL).pathname.slice(1);
    await sql(mysqlUrl(), `CREATE USER ${user} IDENTIFIED BY 'pw'`, `GRANT SELECT ON ${database}.* TO ${user}`);
    onTestFinished(async () => void (await sql(mysqlUrl(), `DROP USER ${user}`)));
    const url = new URL(settings.MYSQL_URL);
    Object.assign(url, { username: user, password: 'pw' });
    const { code, find } = await doctor({ MYSQL_URL: url.href });
    expect(find('mysql', 'permissions')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(
        /lacks privileges of serve, consume, relay, capture, notify, verify, backfill, repair/,
      ),
      mend: expect.stringMatching(/GRANT UPDATE ON recency_epoch .*GRANT INSERT, UPDATE, DELETE ON recency_outbox/),
    });
    expect(find('mysql', 'indexes')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('may not EXPLAIN'),
    });
    expect(find('mysql', 'rows decide')).toMatchObject({
      state: 'warning',
      detail: 'not known: this user may not read the text of recency_contacts, recency_photos',
      mend: expect.stringContaining('SHOW VIEW'),
    });
    expect(code).toBe(1);
  });

  it('finds a view that depends on the time', async () => {
    const { find: findFine } = await doctor();
    expect(findFine('mysql', 'rows decide')).toMatchObject({ state: 'fine' });
    const timed = await migrated(
      'CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_photos AS SELECT id, owner_id, audience, uploaded_at, title FROM photos WHERE uploaded_at <= UNIX_TIMESTAMP() * 1000',
    );
    const { code, find } = await doctor({ MYSQL_URL: timed });
    expect(find('mysql', 'rows decide')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('unix_timestamp() in recency_photos'),
      mend: expect.stringContaining('docs/adopting.md'),
    });
    expect(code).toBe(1);
  });

  it('finds settings of Redis that cost memory or indexes', async () => {
    const args = ['--maxmemory-policy', 'allkeys-lru', '--zset-max-listpack-entries', '20', '--appendonly', 'no'];
    await using server = await startRedis({ args });
    const url = await migrated();
    const { code, find } = await doctor({ REDIS_URL: server.url, MYSQL_URL: url });
    expect(find('redis', 'maxmemory-policy')).toMatchObject({
      state: 'warning',
      mend: expect.stringContaining('noeviction'),
    });
    expect(find('redis', 'zset-max-listpack-entries')).toMatchObject({
      state: 'problem',
      mend: expect.stringContaining('128'),
    });
    expect(find('redis', 'persistence')).toMatchObject({ state: 'warning' });
    expect(code).toBe(1);
  });
});

describe('what doctor says of consistency', () => {
  const nobody = { checked: 0, wrong: 0, visible: 0, unsettled: 0 };
  const none = { '10s': nobody, '1m': nobody, '5m': nobody };

  async function told(report?: Pick<SamplerReport, 'windows'> & Partial<SamplerReport>, changes: Settings = {}) {
    const redis = await freshRedis(settings.REDIS_URL);
    const KEY_PREFIX = freshPrefix();
    const reports = new SamplerReports(redis, KEY_PREFIX);
    const MYSQL_URL = await migrated();
    if (report) await reports.write({ rate: 5, wrong_users: [], ...report }); // last: it is kept for seconds
    const { code, find } = await doctor({ KEY_PREFIX, TOPIC: KEY_PREFIX, MYSQL_URL, ...changes });
    return { code, ...find('consistency', 'sampler') };
  }

  it('says when no sampler reports, or when it is off', async () => {
    const mend = expect.stringContaining('recency consume');
    expect(await told()).toMatchObject({ code: 0, state: 'warning', detail: 'no sampler reports', mend });
    expect(await told(undefined, { SAMPLE_RATE: '0' })).toMatchObject({
      state: 'fine',
      detail: expect.stringMatching(/^off/),
    });
  });

  it('is nines for each window, and when they were taken', async () => {
    const right = { checked: 1_000, wrong: 0, visible: 0, unsettled: 2 };
    const found = await told({ windows: { ...none, '1m': { ...nobody, unsettled: 1 }, '5m': right } });
    expect(found).toMatchObject({ code: 0, state: 'fine' });
    const [taken, ...windows] = String(found.detail).split('\n');
    expect(taken).toMatch(/^5 users a second, \d+\.\d s ago$/);
    expect(windows).toEqual([
      '10s: no user was checked',
      '1m: no user was checked, 1 unsettled',
      '5m: 3.0 nines (0 of 1000 users wrong, 2 unsettled)',
    ]);
  });

  it('is a warning where most users cannot be told', async () => {
    const found = await told({ windows: { ...none, '5m': { ...nobody, checked: 4, unsettled: 5 } } });
    expect(found).toMatchObject({ code: 0, state: 'warning', mend: expect.stringContaining('unsettled') });
  });

  it.each([
    [0, 'warning', 0],
    [1, 'problem', 1],
  ])('is who is wrong; %i of them visibly: a %s', async (visible, state, exit) => {
    const wrong_users = [
      { user: '42', classes: ['ghost', 'score'] as const, visible: false },
      { user: '43', classes: [], visible: visible > 0 },
    ];
    const found = await told({
      windows: { ...none, '5m': { checked: 200, wrong: 2, visible, unsettled: 0 } },
      wrong_users,
    });
    expect(found).toMatchObject({
      code: exit,
      state,
      mend: expect.stringContaining('42 (ghost, score); 43 (answers)'),
    });
    expect(found.detail).toContain(`5m: 2.0 nines (2 of 200 users wrong, ${visible} visibly)`);
  });
});

describe('the questions that must come from an index', () => {
  async function problems(...statements: string[]): Promise<string[]> {
    const database = new ContactsDatabase(await migrated(...statements), {
      connections: 1,
      queue: 10,
      deadlineMs: 60_000,
    });
    const found = await findPlanProblems([database]);
    await database.close();
    return found.map(({ question }) => question.replace(/ \(.*/, ''));
  }

  it('do, on empty tables and on small ones', async () => {
    expect(await problems()).toEqual([]);
    const small = [
      'INSERT INTO users (id) VALUES (1), (2), (3)',
      'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2), (1, 3), (2, 1)',
      'INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (1, 0, 5), (2, 0, 6), (1, 4, 7)',
      'ANALYZE TABLE users, contacts, photos',
    ];
    expect(await problems(...small)).toEqual([]);
  });

  it.each([
    ['contacts DROP KEY contacts_followers', ['the followers of an uploader']],
    ['photos DROP KEY photos_newest', ['the newest photos of an uploader']],
    ['photos DROP KEY photos_newest, ADD KEY (owner_id)', ['the newest photos of an uploader']],
    [
      'users MODIFY id BIGINT UNSIGNED NOT NULL, DROP PRIMARY KEY',
      ['some contacts of a user', 'all contacts of a user'],
    ],
  ])('do not any more: ALTER TABLE %s', async (change, expected) => {
    expect(await problems(`ALTER TABLE ${change}`)).toEqual(expect.arrayContaining(expected));
  });

  it('do not any more: a table without its primary key that has another index', async () => {
    const rows = Array.from({ length: 2_000 }, (_, i) => `(${i + 10}, ${i + 20})`).join(',');
    const statements = [
      'ALTER TABLE contacts DROP PRIMARY KEY',
      `INSERT INTO contacts (user_id, contact_id) VALUES ${rows}`,
      'ANALYZE TABLE contacts',
    ];
    expect(await problems(...statements)).toEqual(['all contacts of a user']);
  });

  it.each([
    [
      'recency_photos AS SELECT DISTINCT id, owner_id, audience, uploaded_at, title FROM photos',
      'the newest photos of an uploader',
    ],
    [
      `recency_contacts AS SELECT c.user_id, c.contact_id, c.active AS related, MAX(p.uploaded_at) AS last_upload_at,
         1 AS sees, c.is_friend, c.is_family, c.version
       FROM contacts AS c LEFT JOIN photos AS p ON p.owner_id = c.contact_id GROUP BY c.user_id, c.contact_id`,
      'all contacts of a user',
    ],
  ])('do not merge: %s', async (view, question) => {
    expect(await problems(`CREATE OR REPLACE VIEW ${view}`)).toContain(question);
  });

  it('do not, where a join supplies the owner of a photo: doctor says so, and a start where answers ask it', async () => {
    const owned = [
      'CREATE TABLE authors (id BIGINT UNSIGNED PRIMARY KEY, account BIGINT UNSIGNED NOT NULL UNIQUE)',
      `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_photos AS
       SELECT p.id, a.id AS owner_id, p.audience, p.uploaded_at, p.title FROM photos AS p JOIN authors AS a ON a.account = p.owner_id`,
      'INSERT INTO users (id) VALUES (11), (12), (13)',
      'INSERT INTO authors (id, account) VALUES (1, 11), (2, 12), (3, 13)',
      'INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (11, 0, 5), (12, 0, 6), (13, 0, 7)',
      'ANALYZE TABLE photos, authors',
    ];
    const MYSQL_URL = await migrated(...owned);
    const { code, find } = await doctor({ MYSQL_URL });
    expect(find('mysql', 'indexes')).toMatchObject({
      state: 'problem',
      detail: expect.stringMatching(
        /^the newest photo of each of several owners \(recency_photos by owner_id.*read and sorted/,
      ),
      mend: expect.stringContaining(
        'the table behind the photos owner_id, audience and uploaded_at as its own columns, not by a join',
      ),
    });
    expect(code).toBe(1);
    const database = new ContactsDatabase(MYSQL_URL, { connections: 1, queue: 10, deadlineMs: 10_000 });
    onTestFinished(() => database.close());
    await checkPlans([database]); // answers read the column
    await leaveOutUploads(MYSQL_URL, [CONTACTS]);
    await expect(checkPlans([database])).rejects.toThrow(/newest photo of each of several owners .*read and sorted/);
  });
});

describe('what doctor says of the views', () => {
  const SITE = [
    'INSERT INTO users (id) VALUES (1), (2), (3)',
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2), (1, 3), (2, 3)',
    'INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (2, 0, 5000), (2, 4, 9000), (3, 0, 6000)',
    'UPDATE users SET last_public_at = CASE id WHEN 2 THEN 5000 WHEN 3 THEN 6000 ELSE 0 END',
  ];
  const told = async (...statements: string[]) => {
    const { code, find } = await doctor({ MYSQL_URL: await migrated(...SITE, ...statements) });
    return { code, ...find('mysql', 'last uploads') };
  };
  const view = (lastUploadAt: string, sees = '1') => `CREATE OR REPLACE ALGORITHM=MERGE VIEW recency_contacts AS
    SELECT user_id, contact_id, active AS related, ${lastUploadAt} AS last_upload_at, ${sees} AS sees, is_friend, is_family, version
    FROM contacts STRAIGHT_JOIN users ON users.id = contact_id`;

  it('is that the photos confirm the last uploads', async () => {
    expect(await told()).toMatchObject({
      code: 0,
      state: 'fine',
      detail: '3 pairs compared with recency_photos, all confirmed',
    });
  });

  it('is a problem where they do not, with examples', async () => {
    const found = await told(view('IF(contact_id = 2, 9000, last_public_at)'));
    expect(found).toMatchObject({ code: 1, state: 'problem', mend: expect.stringContaining('no deleted or private') });
    expect(found.detail).toBe(
      '3 pairs compared with recency_photos: 1 contradict it\nuser 1, contact 2: recency_contacts says 1970-01-01T00:00:09.000Z, recency_photos 1970-01-01T00:00:05.000Z',
    );
  });

  it('is a problem when no contact has a last upload although there are photos, whatever their audience', async () => {
    const none = view('CAST(NULL AS SIGNED)');
    expect(await told(none)).toMatchObject({
      code: 1,
      state: 'problem',
      detail: expect.stringMatching(/last_upload_at is NULL or 0 in all of them; 3 contradict it\n/),
    });
    expect(await told(view('CAST(NULL AS SIGNED)', '0'))).toMatchObject({
      code: 1,
      state: 'problem',
      detail: expect.stringMatching(/there are photos, but no user may see any/),
    });
    expect(await told(none, 'DELETE FROM photos')).toMatchObject({ code: 0, state: 'fine' });
    expect(await told(view('0', '0').replace('0 AS last_upload_at,', ''))).toMatchObject({
      ...{ code: 1, state: 'problem', mend: expect.stringMatching(/^The bits of sees of recency_contacts must be/) },
      detail: expect.stringMatching(/^derived from recency_photos, .*there is none in all of them; there are photos/),
    });
  });

  it('is what verify and repair say as well: exit 3, and nothing that repair could fix', async () => {
    const MYSQL_URL = await migrated(...SITE, view('IF(contact_id = 2, 9000, last_public_at)'));
    const own = { ...settings, MYSQL_URL, KEY_PREFIX: freshPrefix() };
    for (const command of [['verify'], ['repair', '--dry-run'], ['repair']]) {
      const { code, json } = await runInProcess([...command, '--json'], own);
      expect(code).toBe(3);
      expect(json()[0]).toMatchObject({
        ...{ wrong: 0, visible: 0, classes: { truth: 1 }, truth: { pairs: 3, wrong: 1 } },
        wrong_pairs: [{ user: '1', contact: '2', view_says: 9_000, photos_say: 5_000 }],
      });
    }
    const { stdout } = await runInProcess(['repair'], own);
    expect(stdout).toMatch(/truth 1: the last upload of 1 of 3 pairs, of 1 user,.*no rebuild changes it/s);
    expect(stdout).toContain('user 1, contact 2: recency_contacts says 1970-01-01T00:00:09.000Z');
    expect(stdout).toContain('0 repaired, 0 still wrong');
  });
});
