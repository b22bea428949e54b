import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPrimary } from '../../src/app/open-mysql.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type Account, checkGrants, checkSchema, GRANTS } from '../../src/health/check-mysql.ts';
import { aclRules } from '../../src/redis/permissions.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { grantsOf, MIGRATE, READ } from '../support/accounts.ts';
import { TestCa } from '../support/certificates.ts';
import { CliProcess, runCli, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { WITH_GTIDS } from '../support/logged-mysql.ts';
import { mappingFile } from '../support/reference-mapping.ts';
import { PASSWORD, SecureKafka } from '../support/secure-kafka.ts';
import { SecureMysql } from '../support/secure-mysql.ts';
import { SecureRedis } from '../support/secure-redis.ts';
import { freshName, hasKafka } from '../support/servers.ts';
import { EVERYBODY_INDEXED } from '../support/service-settings.ts';
import { everybodyKnows, writeSite } from '../support/small-site.ts';
import { until } from '../support/until.ts';

const ACCOUNTS = Object.keys(GRANTS) as Account[];
const STAR = '1';
const USERS = ['101', '202', '303'];

/** Later than every earlier upload, ms. */
const LATER = Date.now() + 3_600_000;

const LOOKS = {
  ...{ topic: 'DESCRIBE', dlq: 'DESCRIBE', group: 'DESCRIBE' },
  ...{ bulk: 'DESCRIBE', bulkGroup: 'DESCRIBE' },
} as const;

/** The permissions in docs/operations.md; READ and WRITE include DESCRIBE. */
const ACLS = {
  serve: { topic: 'WRITE', dlq: 'DESCRIBE', group: 'DESCRIBE', bulk: 'DESCRIBE', bulkGroup: 'DESCRIBE' },
  relay: { topic: 'WRITE', dlq: 'WRITE' },
  capture: { topic: 'WRITE', dlq: 'DESCRIBE' },
  consume: { topic: 'READ', dlq: 'WRITE', group: 'READ', bulk: 'READ', bulkAgain: 'WRITE', bulkGroup: 'READ' },
  notify: { activity: 'WRITE' },
  verify: LOOKS,
  backfill: LOOKS,
  repair: LOOKS,
} as const satisfies Record<Account, object>;

/** kafkajs's numbers. */
const OPERATIONS = { READ: 3, WRITE: 4, DESCRIBE: 8 } as const;

describe.runIf(hasKafka())(
  'MySQL, Redis and Kafka over TLS, with least-privilege accounts for each process',
  { timeout: 300_000 },
  () => {
    let ca: TestCa;
    let mysql: SecureMysql;
    let redis: SecureRedis;
    let kafka: SecureKafka;
    let client: { cert: string; key: string };
    const [topic, prefix] = [freshName(), freshName()];

    beforeAll(async () => {
      ca = await TestCa.create();
      client = await ca.issue('client', { name: 'recency' });
      [mysql, redis, kafka] = await Promise.all([
        SecureMysql.start(ca, WITH_GTIDS),
        SecureRedis.start(ca),
        SecureKafka.start(ca, ACCOUNTS),
      ]);
      await mysql.execute("CREATE USER migrator@'%' REQUIRE X509", `GRANT ${MIGRATE} ON recency.* TO migrator`);
      expect((await runInProcess(['migrate'], settingsOf('migrator'))).code).toBe(0);
      for (const account of ACCOUNTS) {
        await mysql.execute(`CREATE USER ${account}@'%' REQUIRE X509`, ...grantsOf(account));
        await redis.admin.call(
          'ACL',
          'SETUSER',
          account,
          'on',
          `>${PASSWORD}`,
          ...aclRules(prefix, { index: true, tasks: false }),
        );
      }
      await setAcls();
    });
    afterAll(async () => {
      await Promise.all([mysql, redis, kafka].map((server) => server?.[Symbol.asyncDispose]()));
      ca?.remove();
    });

    function settingsOf(account: string): Settings {
      const tls = { CA: ca.file, CERT: client.cert, KEY: client.key };
      const files = (kind: string) =>
        Object.fromEntries(Object.entries(tls).map(([part, path]) => [`${kind}_TLS_${part}`, path]));
      return {
        ...{ MYSQL_URL: mysql.url(account), MYSQL_TLS: 'on', ...files('MYSQL') },
        ...{ REDIS_URL: redis.url(`${account}:${PASSWORD}`), ...files('REDIS') },
        ...{ ...kafka.settings, KAFKA_SASL: 'plain', KAFKA_USER: account, KAFKA_PASSWORD: PASSWORD },
        ...{ TRANSPORT: 'kafka', TOPIC: topic, KAFKA_GROUP: topic, KEY_PREFIX: prefix },
        ...{ ...EVERYBODY_INDEXED, PORT: '0', METRICS_PORT: '0', SAMPLE_RATE: '1' },
      };
    }

    /** Creates the topics and grants the permissions, as an operator does. */
    async function setAcls(): Promise<void> {
      const admin = kafka.admin.admin();
      await admin.connect();
      await admin.createTopics({
        topics: [
          { topic, numPartitions: 2 },
          { topic: `${topic}.dlq`, numPartitions: 1 },
          { topic: `${topic}.activity`, numPartitions: 1 },
          { topic: `${topic}.bulk`, numPartitions: 2 },
        ],
      });
      const resources = {
        activity: [2, `${topic}.activity`],
        topic: [2, topic],
        dlq: [2, `${topic}.dlq`],
        group: [3, topic],
        bulk: [2, `${topic}.bulk`],
        bulkAgain: [2, `${topic}.bulk`],
        bulkGroup: [3, `${topic}.bulk`],
      } as const;
      const acl = ACCOUNTS.flatMap((account) =>
        Object.entries(ACLS[account] as Record<string, keyof typeof OPERATIONS>).map(([what, operation]) => {
          const [resourceType, resourceName] = resources[what as keyof typeof resources];
          return {
            ...{ principal: `User:${account}`, host: '*', permissionType: 3, resourcePatternType: 3 },
            ...{ resourceType, resourceName, operation: OPERATIONS[operation] },
          };
        }),
      );
      await admin.createAcls({ acl });
      await admin.disconnect();
    }

    async function start(command: Account, says: string, more: Settings = {}): Promise<CliProcess> {
      const cli = new CliProcess([command], { ...settingsOf(command), ...more }).killAtEnd();
      await cli.says(says);
      return cli;
    }

    it('a change of the site arrives in an answer', async () => {
      const pool = openSitePool(mysql.url('root').replace(':@', '@'), 2);
      onTestFinished(() => pool.end());
      await writeSite(pool, everybodyKnows(USERS, [STAR]));
      const backfill = await runCli(['backfill'], settingsOf('backfill'));
      expect(backfill.stderr).not.toMatch(/denied|NOPERM/);
      expect(backfill.stderr).toBe('');
      expect(backfill.code).toBe(0);
      const [serve, consume, relay] = await Promise.all([
        start('serve', 'answering at'),
        start('consume', 'consuming'),
        start('relay', 'relaying'),
      ]);
      const api = String(/"address":"(http:[^"]+)"/.exec(serve.stdout)?.[1]);
      await uploadPhoto(pool, STAR, 0, LATER);
      await until(async () => {
        const response = await fetch(`${api}/v1/users/${USERS[0]}/contacts/recent`);
        const { contacts, answer } = (await response.json()) as {
          contacts: { last_upload_at: string }[];
          answer: { source: string; exact: boolean };
        };
        return (
          contacts[0]?.last_upload_at === new Date(LATER).toISOString() && answer.source === 'index' && answer.exact
        );
      });
      const task = { type: 'recency.photo.uploaded', owner: STAR };
      const posted = await fetch(`${api}/v1/tasks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(task),
      });
      expect(posted.status).toBe(202);
      const verify = await runInProcess(['verify', '--json'], settingsOf('verify'));
      expect(JSON.parse(verify.stdout)).toMatchObject({ warm: USERS.length, wrong: 0, answers_wrong: 0 });
      expect(await runCli(['repair'], settingsOf('repair'))).toMatchObject({ code: 0, stderr: '' });
      const doctor = JSON.parse((await runInProcess(['doctor', '--json'], settingsOf('consume'))).stdout);
      expect(doctor.findings.filter(({ state }: { state: string }) => state === 'problem')).toEqual([]);
      for (const { stdout } of [serve, consume, relay]) {
        expect(stdout.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
      }
      // Commands that only name a connection, and those that doctor can do without, need no permission.
      const optional = ['config|get', 'client|setname', 'client|setinfo'];
      expect((await refusedByRedis()).filter((command) => !optional.includes(command))).toEqual([]);
    });

    /** Messages that the topic of tasks has had. */
    async function tasksEver(): Promise<number> {
      const admin = kafka.admin.admin();
      await admin.connect();
      const ends = await admin.fetchTopicOffsets(topic);
      await admin.disconnect();
      return ends.reduce((sum, { high }) => sum + Number(high), 0);
    }

    it('changes are captured', async () => {
      await mysql.execute(
        "GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO 'capture'",
        ...['recency_contacts', 'recency_photos'].map((view) => `GRANT SHOW VIEW ON recency.${view} TO 'capture'`),
      );
      await start('capture', 'capturing the binary log', { CAPTURE_MAPPING: mappingFile() });
      const before = await tasksEver();
      // The outbox has nothing of it, so it can only come from the log. Again and again: the log is read from some moment on.
      const row = `recency.contacts WHERE user_id = ${STAR} AND contact_id = ${USERS[0]}`;
      const change = () =>
        mysql.execute(
          `DELETE FROM ${row}`,
          `INSERT INTO recency.contacts (user_id, contact_id) VALUES (${STAR}, ${USERS[0]})`,
        );
      const isPublished = async () => {
        await change();
        return (await tasksEver()) > before;
      };
      await until(isPublished, { interval: 200 });
    });

    /** The commands that Redis has refused to any of the accounts. */
    async function refusedByRedis(): Promise<string[]> {
      const entries = (await redis.admin.call('ACL', 'LOG')) as unknown[][];
      return entries.map((entry) => String(entry[entry.indexOf('object') + 1]));
    }

    function primaryOf(account: string) {
      const entries = Object.entries(settingsOf(account)).map(([name, value]) => [`RECENCY_${name}`, value]);
      const database = openPrimary(loadConfig(Object.fromEntries(entries)));
      onTestFinished(() => database.close());
      return database;
    }

    it.each(ACCOUNTS)('every MySQL privilege that %s lacks is named', async (account) => {
      const database = primaryOf(account);
      await checkGrants(database, account, account);
      for (const [table, privileges] of Object.entries(GRANTS[account])) {
        for (const privilege of privileges) {
          await mysql.execute(`REVOKE ${privilege} ON recency.${table} FROM ${account}`);
          await expect(checkGrants(database, account, account)).rejects.toThrow(
            `User "${account}" of MySQL lacks privileges that \`recency ${account}\` needs. As an administrator: GRANT ${privilege} ON ${table} TO '${account}'.`,
          );
          await mysql.execute(`GRANT ${privilege} ON recency.${table} TO ${account}`);
        }
      }
    });

    it('a table that an account cannot read is named', async () => {
      const database = primaryOf('serve');
      // Only the console and `recency dlq` need the letters that are settled: without them everything else starts.
      for (const table of READ.filter((name) => name !== 'recency_settled_letters')) {
        await mysql.execute(`REVOKE SELECT ON recency.${table} FROM serve`);
        await expect(checkSchema(database, 'serve', USUAL_SITE)).rejects.toThrow(`GRANT SELECT ON ${table} TO 'serve'`);
        await mysql.execute(`GRANT SELECT ON recency.${table} TO serve`);
      }
    });
  },
);
