import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../src/mysql/migrate.ts';
import { CliProcess, runCli } from '../../support/cli.ts';
import { DebeziumProcess } from '../../support/kafka-connect.ts';
import { loggedMysql, WITH_GTIDS } from '../../support/logged-mysql.ts';
import { mappingFile } from '../../support/reference-mapping.ts';
import { freshName, freshPrefix, hasKafka, kafkaBrokers, redisUrl, sql, withAdmin } from '../../support/servers.ts';
import { until } from '../../support/until.ts';

const GREATEST = '18446744073709551615';

const MAPPING = `
version: 1
tables:
  - { table: contacts, hint: contact, user: user_id, contact: contact_id }
  - { table: photos, hint: photo, owner: owner_id, columns: [audience, uploaded_at] }
ignore: [users]
`;

describe.runIf(hasKafka())('recency capture --from debezium', () => {
  const mysql = loggedMysql(WITH_GTIDS);

  it('misses nothing that Debezium says, also when it is killed, and begins an epoch for TRUNCATE', async () => {
    const MYSQL_URL = await mysql.createDatabase();
    await migrate({ url: MYSQL_URL });
    const schema = new URL(MYSQL_URL).pathname.slice(1);
    const [prefix, KEY_PREFIX] = [freshName(), freshPrefix()];
    const settings = {
      ...{ MYSQL_URL, KEY_PREFIX, REDIS_URL: redisUrl(), KAFKA_BROKERS: kafkaBrokers().join(','), KAFKA_GROUP: prefix },
      ...{ TRANSPORT: 'streams', TOPIC: 'tasks', PORT: '0', METRICS_PORT: '0', MYSQL_TIMEOUT_MS: '3000' },
      ...{ CAPTURE_TOPIC_PREFIX: prefix, CAPTURE_MAPPING: mappingFile(MAPPING), TAKEOVER_MS: '6000' },
    } as const;
    for (const dryRun of [[], ['--dry-run']]) {
      const refused = await runCli(['capture', '--from', 'debezium', ...dryRun], settings);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`there is no topic ${prefix}.${schema}.contacts for the table ${schema}.`);
      expect(refused.stderr).toContain('include.schema.changes=true');
    }

    await sql(
      MYSQL_URL,
      'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
      'INSERT INTO photos (owner_id, audience, uploaded_at) VALUES (3, 0, 5)',
    );
    await using debezium = await DebeziumProcess.start({
      ...{ mysql, brokers: kafkaBrokers(), prefix, schema, tables: ['contacts', 'photos', 'recency_capture'] },
      settings: {
        'bigint.unsigned.handling.mode': 'precise',
        'heartbeat.interval.ms': '200',
        'provide.transaction.metadata': 'true',
      },
    });
    onTestFinished(() => withAdmin(async (admin) => removeTopics(admin, prefix)));
    const wanted = [`${prefix}.${schema}.contacts`, `${prefix}.${schema}.photos`, prefix];
    await withAdmin(async (admin) => {
      const areThere = async () => {
        const topics = await admin.listTopics();
        if (wanted.every((topic) => topics.includes(topic))) return true;
        throw new Error(debezium.log.slice(-3_000));
      };
      await until(areThere);
    });

    const redis = new Redis(redisUrl());
    onTestFinished(() => redis.disconnect());
    const published = async () => {
      const entries = await redis.xrange(`${KEY_PREFIX}:tasks`, '-', '+');
      return new Set(entries.flatMap(([, fields]) => fields.filter((field) => field.startsWith('{')).map(aboutOf)));
    };
    const has = (...abouts: string[]) =>
      until(async () => {
        const seen = await published();
        return abouts.every((about) => seen.has(about));
      });
    const capture = () => {
      const process = new CliProcess(['capture', '--from', 'debezium'], settings).killAtEnd();
      return process;
    };
    const row = async () => (await sql(MYSQL_URL, 'SELECT published, fences FROM recency_capture'))[0];
    const why = async () => String((await sql(MYSQL_URL, 'SELECT why FROM recency_epoch'))[0]?.why);

    const first = capture();
    await until(async () => Number((await row())?.published) > 0);
    const begun = await why();
    expect(begun).toBe('capture: nothing was captured before');
    await sql(
      MYSQL_URL,
      `INSERT INTO contacts (user_id, contact_id) VALUES (${GREATEST}, 9223372036854775808), (9007199254740993, 4)`,
      'UPDATE contacts SET contact_id = 5 WHERE user_id = 1',
      'DELETE FROM contacts WHERE user_id = 9007199254740993',
      'UPDATE photos SET audience = 4',
    );
    await has('1 2', '1 5', `${GREATEST} 9223372036854775808`, '9007199254740993 4', '3');

    first.signal('SIGKILL');
    await first.ended;
    await sql(MYSQL_URL, 'INSERT INTO contacts (user_id, contact_id) VALUES (10, 11)');
    capture();
    await sql(MYSQL_URL, 'INSERT INTO contacts (user_id, contact_id) VALUES (12, 13)');
    await has('10 11', '12 13');
    expect(await why()).toBe(begun);
    const fences = (await row())?.fences;
    await until(async () => Number((await row())?.published) > Number(fences));

    await sql(MYSQL_URL, 'TRUNCATE TABLE contacts');
    await until(async () => (await why()).includes('TRUNCATE TABLE'));
    await sql(MYSQL_URL, 'INSERT INTO contacts (user_id, contact_id) VALUES (14, 15)');
    await has('14 15');
  });
});

const aboutOf = (body: string): string => {
  const { user, contact, owner } = JSON.parse(body) as Record<string, string | undefined>;
  return owner ?? `${user} ${contact}`;
};

async function removeTopics(admin: Parameters<Parameters<typeof withAdmin>[0]>[0], prefix: string): Promise<void> {
  const topics = (await admin.listTopics()).filter((topic) => topic === prefix || topic.startsWith(`${prefix}.`));
  await admin.deleteTopics({ topics });
}
