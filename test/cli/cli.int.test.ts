import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Times } from '../../src/app/run-process.ts';
import { DelayedWork } from '../../src/index/delayed-work.ts';
import { KeyNames } from '../../src/index/redis/keys.ts';
import { DelayQueue } from '../../src/redis/delay-queue.ts';
import { CliProcess, type Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { freshDatabase, redisUrl, sql as sqlOn } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { freshRedis } from '../support/stores.ts';

let settings: Settings & { MYSQL_URL: string };
let redis: Redis;
const folder = mkdtempSync(join(tmpdir(), 'recency-cli-'));

/** 40 users who write to the 30 after them, in a ring. */
const USERS = 40;
const CONTACTS = 30;

beforeAll(async () => {
  settings = await serviceSettings();
  redis = new Redis(redisUrl());
  const edges = Array.from({ length: USERS * CONTACTS }, (_, i) => {
    const source = (i % USERS) + 1;
    return `${source} ${((source + Math.floor(i / USERS)) % USERS) + 1} ${1_000 + i}`;
  });
  writeFileSync(join(folder, 'edges.txt'), `# src dst unix_seconds\n${edges.join('\n')}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  redis.disconnect();
});

const run = (line: string, changes: Settings = {}, times: Partial<Times> = {}) =>
  runInProcess(line.split(' '), { ...settings, ...changes }, times);

const sql = (statement: string) => sqlOn(settings.MYSQL_URL, statement);

describe('from a file to a verified index', () => {
  it('import: what was read', async () => {
    const { code, stdout, json } = await run(`import ${join(folder, 'edges.txt')} --json`);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(json()[0]).toEqual({ lines: 1_200, users: 40, contacts: 1_200, photos: 1_200 });
  });

  it('import: a file that is none', async () => {
    const { code, stderr } = await run(`import ${join(folder, 'none.txt')}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/none\.txt cannot be read as an edge list/);
    writeFileSync(join(folder, 'bad.txt'), '1 2 3\n1 2 x\n');
    writeFileSync(join(folder, 'words.txt'), 'not an edge list\n');
    const words = await run(`import ${join(folder, 'words.txt')} --json`);
    expect(words).toMatchObject({ code: 1, stdout: '{"lines":0,"users":0,"contacts":0,"photos":0}\n' });
    expect(words.stderr).toMatch(/words\.txt holds no line of the form: src dst unix_seconds/);
    const bad = await run(`import ${join(folder, 'bad.txt')}`);
    expect(bad.code).toBe(1);
    expect(bad.stderr).not.toMatch(/\n {4}at /);
  });

  it('backfill: dry, then in earnest', async () => {
    expect((await run('backfill --dry-run --json')).json()[0]).toMatchObject({ users: 40, rebuilt: 0, dry_run: true });
    expect(await redis.keys(`${settings.KEY_PREFIX}:{*}:*:m`)).toEqual([]);
    const { code, json } = await run('backfill --json');
    expect(code).toBe(0);
    expect(json()[0]).toMatchObject({ users: 40, rebuilt: 40, unsettled: 0, obstructed: 0 });
  });

  it('backfill: of a range', async () => {
    expect((await run('backfill --from 5 --to 9 --json')).json()[0]).toMatchObject({ users: 5, rebuilt: 5 });
  });

  it('verify: nothing is wrong', async () => {
    const { code, json } = await run('verify --json');
    expect(json()).toHaveLength(1);
    expect(json()[0]).toMatchObject({ users: 40, warm: 40, cold: 0, wrong: 0, visible: 0, answers_wrong: 0 });
    expect(json()[0].classes).toMatchObject({ missing: 0, ghost: 0, score: 0, hole: 0, cap: 0, floor: 0, torn: 0 });
    expect(json()[0].answers_checked).toBeGreaterThan(0);
    expect(code).toBe(0);
    expect((await run('verify --user 7')).stdout).toMatch(/^1 user: 1 with an index, 0 without; 0 wrong/);
    expect((await run('verify --users 5 --json')).json()[0].users).toBe(5);
  });

  it('inspect and explain: one index, and one contact', async () => {
    const { json } = await run('inspect 1 --json');
    expect(json()[0]).toMatchObject({ user: '1', state: 'warm', epoch_current: true, size: 24, complete: false });
    const [best] = json()[0].members;
    expect((await run('inspect 1')).stdout).toMatch(new RegExp(`\\n1 +${best.id} +${best.last_upload_at}\\n`));
    const explained = await run(`explain 1 ${best.id} --json`);
    expect(explained.json()[0]).toMatchObject({ verdict: { code: 'in_index' }, in_index: true, in_answer: true });
    expect((await run('explain 1 999')).stdout).toMatch(/MySQL has no row for the pair/);
    const { stdout } = await run(`explain 1 ${best.id}`);
    expect(stdout).toMatch(/^Answer: The first page shows the contact, where it belongs\. \(From the index: lag\.\)$/m);
    expect(stdout).toMatch(/^MySQL: related, .*place 1, version \d+\.$/m);
    expect(stdout).toMatch(/^Redis: \S+:\{\d+\}:1:z and \S+:\{\d+\}:1:m\.$/m);
  });

  it('explain: builds nothing for a cold user', async () => {
    await run('forget 3');
    expect((await run('explain 3 4 --json')).json()[0]).toMatchObject({ verdict: { code: 'cold' } });
    expect((await run('inspect 3 --json')).json()[0]).toMatchObject({ state: 'cold', members: [] });
  });
});

describe('drift', () => {
  it('is found by verify, with exit 3, and mended by repair', async () => {
    const key = new KeyNames(String(settings.KEY_PREFIX)).set('2');
    const [lowest] = await redis.zrange(key, '0', '0');
    await redis.zadd(key, '77', String(lowest));
    const found = await run('verify --json');
    expect(found.code).toBe(3);
    expect(found.json()[0]).toMatchObject({ wrong: 1, classes: { score: 1 } });
    expect((await run('verify')).stdout).toMatch(/1 wrong.*\n {2}score 1\n {2}user 2: score/);
    expect((await run(`explain 2 ${lowest}`)).stdout).toMatch(/^Drift: score\. It breaks I1: .*$/m);

    const dry = await run('repair --dry-run --json');
    expect(dry.code).toBe(3);
    expect(dry.json()[0]).toMatchObject({ wrong: 1, repaired: 0, dry_run: true });
    const mended = await run('repair --json');
    expect(mended.code).toBe(0);
    expect(mended.json()[0]).toMatchObject({ wrong: 1, repaired: 1, still_wrong: 0 });
    expect((await run('verify')).code).toBe(0);
  });
});

describe('answers that are wrong', () => {
  it('are shown by verify of one user, to which verify of several points', async () => {
    await sql("INSERT INTO photos (owner_id, audience, uploaded_at, title) VALUES (9, 0, 1770000000000, 'no task')");
    await sql('UPDATE users SET last_public_at = 1770000000000 WHERE id = 9');
    expect((await run('verify')).stdout).toMatch(/^ {2}user 8: \d+ answers; `recency verify --user 8` shows more$/m);
    const { stdout } = await run('verify --user 8');
    expect(stdout).toMatch(/^ {2}user 8: \d+ answers\n {4}relation any, limit \d+, page 1: \d.* instead of 9 /m);
    expect(stdout).not.toContain('shows more');
    expect((await run('repair')).code).toBe(0);
  });
});

describe('work that waits', () => {
  const spoil = async (user: string) => {
    const key = new KeyNames(String(settings.KEY_PREFIX)).set(user);
    const [lowest = ''] = await redis.zrange(key, '0', '0');
    await redis.zadd(key, '77', lowest);
    return lowest;
  };

  /** No consumer runs: it waits for ever. */
  async function putOff(user: string, contact: string): Promise<void> {
    const client = await freshRedis();
    const delayed = new DelayedWork(new DelayQueue(client, String(settings.KEY_PREFIX)));
    await delayed.defer({ pairs: [{ user, contact }], rebuilds: [] });
  }

  it('hides no drift but its own, which is unsettled: exit 3, rebuilt all the same', async () => {
    const runSoon = (line: string) => run(line, {}, { settleMs: 1_000 });
    await putOff('4', await spoil('4'));
    await spoil('5');
    const alone = await runSoon('verify --user 4');
    expect(alone.stdout).toMatch(/^1 user: 1 with an index.*; 0 wrong, 0 of them visibly; 1 unsettled\.\nUnsettled: /);
    expect(alone.code).toBe(3);

    const { code, stdout } = await runSoon('repair');
    expect(code).toBe(3);
    expect(stdout).toMatch(/; 1 wrong, 0 of them visibly; 1 unsettled\.\n {2}score 1\n/);
    expect(stdout).toMatch(/: 2 repaired, 0 still wrong, 0 still unsettled\./);
    const again = await runSoon('repair --json');
    expect(again.json()[0]).toMatchObject({ wrong: 0, unsettled: 0, repaired: 0, still_wrong: 0, still_unsettled: 0 });
    expect(again.code).toBe(0);
    expect((await runSoon('verify')).code).toBe(0);
    await redis.del(['due', 'all'].map((name) => `${settings.KEY_PREFIX}:{delay}:${name}`));
  });
});

describe('a run', () => {
  it('that Ctrl-C ends goes on where it was, and does nothing twice', async () => {
    await using cli = new CliProcess(['backfill', '--rate', '1', '--json'], settings);
    await cli.says('users,'); // a plain line of progress: the first page is done
    cli.signal('SIGINT');
    expect((await cli.ended).code).toBe(1);
    expect(cli.stdout).toBe('');
    const [, runId] = /--resume (\d+)`\ninterrupted\n$/.exec(cli.stderr) ?? [];
    const resumed = await run(`backfill --resume ${runId} --rate 100000 --json`);
    expect(resumed.json()[0]).toMatchObject({ run: runId, users: 40, rebuilt: 40 });
    expect((await run(`backfill --resume ${runId}`)).stderr).toMatch(/is done: start a new one/);
    expect((await run(`repair --resume ${runId}`)).code).toBe(2);
    expect((await run('repair --resume 999999')).code).toBe(1);
  });
});

describe('forget', () => {
  it('drops the index, and a rebuild that waits', async () => {
    const key = new KeyNames(String(settings.KEY_PREFIX)).meta('9');
    await redis.zadd(
      `${settings.KEY_PREFIX}:{delay}:due`,
      String(Date.now() + 60_000),
      '{"kind":"rebuild","user":"9"}',
    );
    expect(await redis.exists(key)).toBe(1);
    expect((await run('forget 9 --json')).json()).toMatchObject([{ forgotten: '9' }]);
    expect(await redis.exists(key)).toBe(0);
    expect(await redis.zcard(`${settings.KEY_PREFIX}:{delay}:due`)).toBe(0);
    expect((await run('forget 9')).code).toBe(0);
  });
});

describe('dlq', () => {
  it('lists, shows and replays', async () => {
    expect((await run('dlq list')).stdout).toBe('There are no dead letters.\n');
    expect((await run('dlq list --json')).json()).toEqual([{ dead_letters: [] }]);
    await sql("INSERT INTO recency_outbox (type, user_id, other_id) VALUES ('recency.contact.exploded', 1, 2)");
    await using relay = new CliProcess(['relay'], settings);
    await relay.says('went to the dead letters');
    const [{ dead_letters: listed }] = (await run('dlq list --json')).json();
    expect(listed[0].headers).toMatchObject({
      ce_type: 'recency.contact.exploded',
      'dlq-exception-class': 'InvalidOutboxRow',
      'dlq-attempts': '1',
    });
    const { id } = listed[0];
    expect((await run('dlq list')).stdout).toMatch(new RegExp(`${id} .*recency\\.contact\\.exploded .*not a task`));
    expect((await run(`dlq show ${id}`)).stdout).toMatch(/"type":"recency\.contact\.exploded","user_id":"1"/);
    expect((await run('doctor')).stdout).toMatch(/dead letters.*1, the oldest since \d{4}-.*not a task/);
    const replayed = await run(`dlq replay ${id}`);
    expect(replayed).toMatchObject({ code: 1, stdout: '' });
    expect(replayed.stderr).toMatch(/is a row of the outbox \(outbox:\d+\), not a task.*Nothing was replayed\./);
    const elsewhere = await run('dlq list', { KEY_PREFIX: 'elsewhere' });
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('RECENCY_KEY_PREFIX') });
    expect((await run('dlq show 1-1')).code).toBe(1);
    const { code, stderr, stdout } = await run('dlq replay 1-1 2-2');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '0 of 2 were published again.\n' });
    expect(stderr).toContain('There is no dead letter 1-1, 2-2. `recency dlq list` lists them.');
    expect((await run('dlq list --after nonsense')).code).toBe(2);
  });
});

describe('relay --republish', () => {
  it('has rows published again', async () => {
    await sql('UPDATE recency_outbox SET published_at = 1000000');
    const { json } = await run('relay --republish --from 1970-01-01T00:00:00Z --to 1970-01-02T00:00:00Z --json');
    expect(json()).toEqual([{ republished: 1 }]);
    expect((await run('relay --republish --from 2026-01-01T00:00:00Z')).stdout).toMatch(/^0 rows/);
  });
});

describe('epoch and config', () => {
  it('show the epoch and begin a new one', async () => {
    const before = (await run('epoch show --json')).json()[0];
    const why = 'restored_from_a_backup';
    const bumped = (await run(`epoch bump --why ${why} --json`)).json()[0];
    expect(bumped.epoch).not.toBe(before.epoch);
    expect((await run('epoch show')).stdout).toMatch(new RegExp(`^${bumped.epoch} since .*: ${why}\n$`));
    expect((await run('verify --json')).json()[0]).toMatchObject({ warm: 0, wrong: 0 });
  });

  it('adopt: other settings for every process, and a new epoch', async () => {
    const before = (await run('epoch show --json')).json()[0];
    const other = { TOPIC: 'another' };
    expect((await run('inspect 1', other)).stderr).toMatch(/RECENCY_TOPIC is "another" here/);
    expect((await run('doctor --json', other)).json()[0].findings).toContainEqual(
      expect.objectContaining({ check: 'shared settings', state: 'problem' }),
    );
    const { json } = await run('config adopt --json', other);
    expect(json()[0].changed).toMatchObject([{ name: 'RECENCY_TOPIC', here: 'another' }]);
    expect((await run('epoch show --json')).json()[0].epoch).not.toBe(before.epoch);
    expect((await run('inspect 1', other)).code).toBe(0);
    await run('config adopt');
  });

  it('adopt: what is shared already leaves every index as it is', async () => {
    const before = (await run('epoch show --json')).json()[0];
    expect((await run('config adopt')).stdout).toMatch(/^Nothing to adopt: /);
    expect((await run('config adopt --json')).json()[0]).toEqual({
      changed: [],
      epoch: before.epoch,
      suspended: false,
    });
    expect((await run('epoch show --json')).json()[0]).toEqual(before);
  });

  it('print: every setting without its secrets', async () => {
    const { json, stdout } = await run('config print --json', { TOKENS: 'secret-word:read' });
    const [{ settings: shown }] = json();
    expect(shown).toContainEqual(expect.objectContaining({ name: 'RECENCY_TOKENS', value: '(hidden)' }));
    expect(shown).toContainEqual(expect.objectContaining({ name: 'RECENCY_MAX', value: '24', origin: 'default' }));
    expect(stdout).not.toContain('secret-word');
  });

  it('set: a size for all processes, whatever the environment of the command says', async () => {
    expect((await run('config set max 50')).stdout).toMatch(/^RECENCY_MAX: (24 → )?50\. Restart the processes/);
    expect((await run('config set max 50 --json')).json()).toEqual([
      { name: 'RECENCY_MAX', value: '50', before: '50' },
    ]);
    expect((await run('config print')).stdout).toMatch(/^RECENCY_MAX +50 +config set /m);
    const refused = await run('inspect 1', { MAX: '24' });
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('RECENCY_MAX is 24 here, but 50 for all processes.'),
    });
    expect((await run('doctor --json', { MAX: '24' })).json()[0].findings).toContainEqual(
      expect.objectContaining({ check: 'shared settings', state: 'problem' }),
    );
    await run('backfill');
    expect((await run('config set max 24', { MAX: '24' })).code).toBe(0);
    expect((await run('verify')).stdout).toMatch(/^40 users: 40 with an index, 0 without; 0 wrong/);
    expect((await run('config set max 12')).code).toBe(2);
  });
});

describe('migrate', () => {
  it('says what it did, what there is, and undoes it', async () => {
    expect((await run('migrate --json')).json()[0].applied).toEqual([]);
    expect((await run('migrate --status')).stdout).toMatch(/^Not applied: nothing\.$/m);
    const undone = await run('migrate --rollback --json');
    expect(undone.json()[0].undone).toContain('0001_recency_tables');
    expect((await run('migrate')).stdout).toMatch(/^Applied: 0001_recency_tables/m);
  });

  it("speaks of a site's own tables that have names of the reference schema only where that matters", async () => {
    const url = await freshDatabase();
    await sqlOn(url, 'CREATE TABLE contacts (id INT PRIMARY KEY, message TEXT)');
    const migrated = async () => (await run('migrate --views-only', { MYSQL_URL: url })).stdout;
    expect(await migrated()).toMatch(
      /^Named like tables of the reference schema, but the site's own, .*: contacts\.$/m,
    );
    const columns =
      '1 AS user_id, 2 AS contact_id, 1 AS related, 1 AS sees, 0 AS is_friend, 0 AS is_family, 1 AS version';
    await sqlOn(url, `CREATE VIEW recency_contacts AS SELECT ${columns}`);
    await sqlOn(
      url,
      "CREATE VIEW recency_photos AS SELECT 1 AS id, 2 AS owner_id, 0 AS audience, 5 AS uploaded_at, '' AS title",
    );
    const all = await migrated();
    expect(all).toMatch(/^recency_contacts: the site's own\.$/m);
    expect(all).not.toMatch(/\bcontacts\b/);
  });
});
