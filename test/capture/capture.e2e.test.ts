import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/mysql/migrate.ts';
import { BRISK } from '../support/brisk-main.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { loggedMysql, WITH_GTIDS } from '../support/logged-mysql.ts';
import { mappingFile, REFERENCE_MAPPING } from '../support/reference-mapping.ts';
import { freshPrefix, redisUrl, sql } from '../support/servers.ts';
import { until } from '../support/until.ts';

const mysql = loggedMysql(WITH_GTIDS);

async function site(): Promise<Settings & { MYSQL_URL: string; KEY_PREFIX: string }> {
  const MYSQL_URL = await mysql.createDatabase();
  await migrate({ url: MYSQL_URL });
  const KEY_PREFIX = freshPrefix();
  const others = { TRANSPORT: 'streams', PORT: '0', METRICS_PORT: '0', MYSQL_TIMEOUT_MS: '2000' } as const;
  return { MYSQL_URL, REDIS_URL: redisUrl(), KEY_PREFIX, TOPIC: 'tasks', CAPTURE_MAPPING: mappingFile(), ...others };
}

function start(settings: Settings): CliProcess {
  const process = new CliProcess(['capture'], settings, BRISK).killAtEnd();
  return process;
}

/** The pairs that the stream's tasks name. */
async function published(redis: Redis, { KEY_PREFIX }: { KEY_PREFIX: string }): Promise<Set<string>> {
  const entries = await redis.xrange(`${KEY_PREFIX}:tasks`, '-', '+');
  return new Set(
    entries.flatMap(([, fields]) =>
      fields.flatMap((field) => /"user":"(\d+)","contact":"(\d+)"/.exec(field)?.slice(1).join(' ') ?? []),
    ),
  );
}

describe('recency capture', () => {
  it('misses nothing however often it is killed, and another process takes over', async () => {
    const settings = await site();
    const redis = new Redis(redisUrl());
    onTestFinished(() => redis.disconnect());
    let [active, standby] = [start(settings), start(settings)];
    await Promise.race([active.says('capturing the binary log'), standby.says('capturing the binary log')]);
    await Promise.all([active.says('capture is ready'), standby.says('capture is ready')]);
    const written = new Set<string>();
    const write = async (from: number, rows: number) => {
      for (let i = 0; i < rows; i += 20) {
        const pairs = Array.from({ length: 20 }, (_, j) => [from + i + j, from + i + j + 1]);
        await sql(
          settings.MYSQL_URL,
          `INSERT INTO contacts (user_id, contact_id) VALUES ${pairs.map((pair) => `(${pair})`)}`,
        );
        for (const pair of pairs) written.add(pair.join(' '));
      }
    };
    await until(async () => (await sql(settings.MYSQL_URL, 'SELECT position FROM recency_capture')).length === 1);
    for (let round = 1; round <= 2; round++) {
      const writing = write(round * 10_000, 1_000);
      await until(async () => (await published(redis, settings)).size > (round - 1) * 1_000 + 100);
      const isActive = (one: CliProcess) => one.stdout.includes('capturing the binary log');
      const victim = isActive(active) ? active : standby;
      victim.signal('SIGKILL');
      await victim.ended;
      [active, standby] = [victim === active ? standby : active, start(settings)];
      await writing;
      await until(async () => (await published(redis, settings)).size >= written.size);
    }
    const seen = await published(redis, settings);
    expect([...written].filter((pair) => !seen.has(pair))).toEqual([]);
    const [epoch] = await sql(settings.MYSQL_URL, 'SELECT why FROM recency_epoch');
    expect(epoch?.why).toBe('capture: nothing was captured before');
  });

  it('runs with the account and the commands of docs/capture.md, and names a GRANT that is missing', async () => {
    const settings = await site();
    const url = new URL(settings.MYSQL_URL);
    const schema = url.pathname.slice(1);
    const page = readFileSync(new URL('../../docs/capture.md', import.meta.url), 'utf8');
    const blocks = (language: string) =>
      [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
    const lines = blocks('sql')
      .join('')
      .split(';')
      .map((line) => line.trim().replaceAll('ON site.', `ON ${schema}.`))
      .filter((line) => line !== '');
    const replication = lines.filter((line) => line.includes('REPLICATION'));
    expect(replication).toHaveLength(1);
    await sql(settings.MYSQL_URL, ...lines.filter((line) => !replication.includes(line)));
    onTestFinished(() => void sql(settings.MYSQL_URL, 'DROP USER recency_capture'));
    [url.username, url.password] = ['recency_capture', 'a secret'];
    const limited = { ...settings, MYSQL_URL: url.href };
    const refused = await runInProcess(['capture'], limited);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('this account lacks REPLICATION SLAVE and REPLICATION CLIENT');
    expect(refused.stderr).toContain('GRANT REPLICATION SLAVE');
    await sql(settings.MYSQL_URL, ...replication);

    const commands = (blocks('sh')[0] ?? '')
      .split('\n')
      .flatMap((line) => line.match(/^recency ([a-z -]+?)\s*(?:#|$)/)?.[1] ?? []);
    expect(commands).toEqual(['doctor', 'capture --dry-run', 'capture']);
    const doctor = await runInProcess(['doctor'], limited);
    expect(doctor.stdout).toMatch(/capture.*the binary log and .* cover the 3 tables behind the views/);
    for (const command of commands.slice(1)) {
      const process = new CliProcess(command.split(' '), limited).killAtEnd();
      await process.says(command.endsWith('--dry-run') ? 'nothing is written' : 'capturing the binary log');
      if (command === 'capture') {
        // The first start needs nobody to begin an epoch.
        const why = async () => (await sql(settings.MYSQL_URL, 'SELECT why FROM recency_epoch'))[0]?.why;
        await until(async () => (await why()) === 'capture: nothing was captured before');
      }
      process.signal('SIGTERM');
      const { code } = await process.ended;
      expect(code, `${command}: ${process.stderr}${process.stdout}`).toBe(0);
    }
  });

  it('begins a new epoch where the log was purged', async () => {
    const settings = await site();
    const first = start(settings);
    await first.says('capturing the binary log');
    await until(async () => (await sql(settings.MYSQL_URL, 'SELECT position FROM recency_capture')).length === 1);
    first.signal('SIGTERM');
    expect((await first.ended).code).toBe(0);
    await sql(settings.MYSQL_URL, 'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)');
    const logs = async () =>
      (await sql(settings.MYSQL_URL, 'SHOW BINARY LOGS')).map(({ Log_name }) => String(Log_name));
    const [old] = await logs();
    // MariaDB keeps a file until InnoDB has flushed what was prepared in it.
    await until(async () => {
      await sql(settings.MYSQL_URL, 'FLUSH BINARY LOGS');
      await sql(settings.MYSQL_URL, `PURGE BINARY LOGS TO '${(await logs()).at(-1)}'`);
      return !(await logs()).includes(old ?? '');
    });
    const second = start(settings);
    await second.says('MySQL does not have its binary log from the saved position on');
    const why = async () => String((await sql(settings.MYSQL_URL, 'SELECT why FROM recency_epoch'))[0]?.why);
    await until(async () => (await why()).startsWith('capture: MySQL does not have its binary log'));
  });

  it('refuses to start where it would miss changes, and says all of it', async () => {
    const settings = await site();
    const file = mappingFile(REFERENCE_MAPPING.replace(/ {2}- table: users[\s\S]*/, ''));
    await sql(
      settings.MYSQL_URL,
      'CREATE TABLE people (id BIGINT UNSIGNED PRIMARY KEY)',
      'ALTER TABLE photos ADD CONSTRAINT of_people FOREIGN KEY (owner_id) REFERENCES people (id) ON DELETE CASCADE',
      'SET GLOBAL binlog_row_image = MINIMAL',
    );
    const { code, stderr } = await runInProcess(['capture', '--mapping', file], settings);
    const doctor = await runInProcess(['doctor'], { ...settings, CAPTURE_MAPPING: file });
    await sql(settings.MYSQL_URL, 'SET GLOBAL binlog_row_image = FULL');
    expect(code).toBe(1);
    // MySQL 9.6 and newer log what a foreign key changes.
    const isUnseen = mysql.server.facts.product === 'MariaDB';
    for (const said of [
      'binlog_row_image is MINIMAL',
      '.users, which the mapping does not name',
      ...(isUnseen ? ['the foreign key of_people changes rows of'] : []),
    ]) {
      expect(stderr).toContain(said);
      expect(doctor.stdout).toContain(said);
    }
    await sql(
      settings.MYSQL_URL,
      'ALTER TABLE photos DROP FOREIGN KEY of_people',
      'ALTER TABLE contacts ADD CONSTRAINT of_contact FOREIGN KEY (contact_id) REFERENCES users (id) ON DELETE CASCADE',
    );
    const { stdout } = await runInProcess(['doctor'], settings);
    const warned = stdout.includes(
      'deletes the rows that have it as a contact: contacts (of_contact); then nothing says',
    );
    expect(warned).toBe(isUnseen);
  });

  it('names what is wrong with the mapping, by line and column', async () => {
    const settings = await site();
    const file = mappingFile('version: 1\ntables:\n  - { table: contacts, hint: contcat }\n');
    const { code, stderr } = await runInProcess(['capture', '--mapping', file], settings);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}:3:30: hint must be one of`);
    expect(readFileSync(file, 'utf8')).toContain('contcat');
  });

  it('prints what it would publish, and writes nothing, with --dry-run', async () => {
    const settings = await site();
    const process = new CliProcess(['capture', '--dry-run'], settings).killAtEnd();
    await process.says('nothing is written');
    await until(async () => {
      await sql(
        settings.MYSQL_URL,
        'INSERT INTO contacts (user_id, contact_id) VALUES (5, 18446744073709551615) ON DUPLICATE KEY UPDATE version = version + 1',
      );
      return process.stdout.includes('18446744073709551615');
    });
    process.signal('SIGTERM');
    expect((await process.ended).code).toBe(0);
    expect(JSON.parse(process.stdout.split('\n')[0] ?? '')).toMatchObject({
      user: '5',
      contact: '18446744073709551615',
    });
    expect(await sql(settings.MYSQL_URL, 'SELECT * FROM recency_capture')).toEqual([]);
  });
});
