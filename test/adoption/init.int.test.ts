import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBaseTables } from '../../src/capture/base-tables.ts';
import { parseMapping } from '../../src/capture/mapping-file.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import { migrate } from '../../src/mysql/migrate.ts';
import { uploadsFrom } from '../../src/mysql/statements/last-upload.ts';
import { findColumnProblems, findPlanProblems } from '../../src/mysql/view-checks.ts';
import { findVolatileViews } from '../../src/mysql/volatile-views.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { runInProcess } from '../support/in-process.ts';
import { freshDatabase, sql } from '../support/servers.ts';
import { questionsThatReadMore } from '../support/upload-questions.ts';
import { type AdoptedSite, adopted } from './adopted-site.ts';

const QUESTIONS: Readonly<Record<string, string>> = {
  'some contacts of a user': `SELECT c.related, c.sees FROM JSON_TABLE('["4","2"]', '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS wanted
    STRAIGHT_JOIN recency_contacts AS c ON c.user_id = 7 AND c.contact_id = wanted.id`,
  'all contacts of a user': 'SELECT c.contact_id FROM recency_contacts AS c WHERE c.user_id = 7 AND c.related',
  'the followers of somebody': 'SELECT c.user_id FROM recency_contacts AS c WHERE c.contact_id = 4',
  'the newest photos of somebody':
    'SELECT p.id, p.uploaded_at FROM recency_photos AS p WHERE p.owner_id = 4 AND p.audience = 0 ORDER BY p.uploaded_at DESC, p.id DESC LIMIT 10',
  'the last upload that some may see': `SELECT p.uploaded_at FROM recency_photos AS p WHERE p.owner_id = 4 AND p.audience = 0 AND p.uploaded_at >= 1
    ORDER BY p.owner_id DESC, p.audience DESC, p.uploaded_at DESC LIMIT 1`,
};

/** A folder that does not exist yet, removed when the test file ends. */
function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-init-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'out');
}

/** A pair with a last upload, and newer rows of the contact that are no photos, `n` of each kind: FROM `many` (n from 1). */
interface PassedOver {
  readonly pair: { readonly user: string; readonly contact: string; readonly at: number };
  readonly inserts: readonly string[];
}

const EACH = 2_000;
const MANY = `JSON_TABLE('${JSON.stringify(Array.from({ length: EACH }, (_, i) => i + 1))}', '$[*]' COLUMNS (n INT PATH '$')) AS many`;

/** What holds on every site. */
function holds(site: () => AdoptedSite, { pair, inserts }: PassedOver) {
  it.each(Object.keys(QUESTIONS))('%s: the view merges, and an index serves it', async (question) => {
    const rows = await sql(site().url, `EXPLAIN FORMAT=TRADITIONAL ${QUESTIONS[question]}`);
    for (const { select_type, table, possible_keys, Extra } of rows) {
      expect(select_type).toMatch(/^(SIMPLE|PRIMARY)$/);
      expect(Extra ?? '').not.toMatch(/filesort/);
      if (table !== 'wanted') expect(possible_keys).not.toBeNull();
    }
  });

  it('the views have whole numbers, and only rows decide what they show; the last upload is derived from the photos', async () => {
    expect(await uploadsFrom(site().database)).toBe('photos');
    expect(await sql(site().url, 'SHOW FUNCTION STATUS WHERE Db = DATABASE()')).toEqual([]);
    expect(await findColumnProblems(site().database, USUAL_SITE)).toEqual([]);
    expect(await findVolatileViews(site().database, [CONTACTS])).toEqual({ calls: [], unread: [] });
  });

  it('doctor has no complaint about the plans, and every base table behind the views is mapped', async () => {
    const { database, file } = site();
    expect(await findPlanProblems([database])).toEqual([]);
    const { tables, unread } = await findBaseTables(database, [CONTACTS]);
    const mapped = parseMapping(file('mapping.yaml'), { file: 'mapping.yaml', schema: 'site' }).tables;
    expect(unread).toEqual([]);
    expect(tables.map(({ table }) => table).sort()).toEqual([...new Set(mapped.map(({ table }) => table))].sort());
  });

  it('times are the same in every time zone of a session', async () => {
    const times =
      'SELECT p.id, p.uploaded_at, (SELECT MAX(since) FROM recency_contacts) AS since FROM recency_photos AS p ORDER BY p.id';
    const at = (zone: string) => sql(site().url, `SET time_zone = '${zone}'`, times);
    const utc = await at('+00:00');
    expect(await at('+05:30')).toEqual(utc);
    expect(utc.find(({ id }) => id === 22)?.uploaded_at).toBeGreaterThan(Date.parse('2026-01-01T11:59:59Z'));
  });

  it('every guess says why, in the files too; the mapping can be read', () => {
    const { report, file } = site();
    const views = site().written;
    for (const { about, guess, why, found } of report.guesses) {
      const lines = [
        `-- ${about}: ${guess}?`,
        ...(found === undefined ? [] : [`--   Found: ${found}.`]),
        `--   Why: ${why}.`,
      ];
      expect(views.replaceAll(/^ +--/gm, '--')).toContain(`${lines.join('\n')}\n`);
    }
    for (const { about, guess } of report.not_used) expect(views).toContain(`-- NOT USED ${about}: ${guess}.\n`);
    expect(parseMapping(file('mapping.yaml'), { file: 'mapping.yaml', schema: 'site' }).tables.length).toBeGreaterThan(
      1,
    );
  });

  it('newer rows that are no photos cost no reading, in no question', async () => {
    const { url } = site();
    await migrate({ url, kinds: [CONTACTS], viewsOnly: true });
    const table = /^INSERT INTO (\S+)/.exec(inserts[0] ?? '')?.[1];
    await sql(url, `ANALYZE TABLE ${table}`);
    const more = await questionsThatReadMore(url, pair, async () => {
      for (const insert of inserts) await sql(url, `${insert} FROM ${MANY}`);
      await sql(url, `ANALYZE TABLE ${table}`);
    });
    await sql(url, `DELETE FROM ${table} WHERE id > 999`);
    expect(more).toEqual({});
  });

  it('every question is asked once, in the report and about each view, and names all that it concerns', async () => {
    const { report, url, written } = site();
    const asked = Map.groupBy([...report.guesses, ...report.not_used], ({ check }) => check);
    asked.delete(undefined);
    const { stdout } = await runInProcess(['init', '--out', freshFolder()], { MYSQL_URL: url });
    const lines = stdout.split('\n').filter((line) => [...asked.keys()].some((check) => line.endsWith(`: ${check}`)));
    expect(lines).toEqual(
      [...asked].map(([check, of]) => `  ${[...new Set(of.map(({ about }) => about))].join(', ')}: ${check}`),
    );
    for (const view of written.split(/(?<=;$)/m)) {
      const checks = [...view.matchAll(/-- {3}CHECK(?: \(.*?\))?: (.*)$/gm)].map(([, check]) => check);
      expect(checks).toEqual([...new Set(checks)]);
    }
    for (const check of asked.keys()) expect(written).toContain(`: ${check}\n`);
  });

  it('files that exist are left alone', async () => {
    const before = site().file('views.sql');
    const { code, stderr } = await site().init();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/indexes\.sql exists.*--out/) });
    expect(site().file('views.sql')).toBe(before);
  });
}

/** The pairs that are related, as `user → contact`, and photos as `id of owner, audience`. */
async function shown({ url }: AdoptedSite) {
  const pairs = await sql(url, 'SELECT user_id, contact_id FROM recency_contacts WHERE related ORDER BY 1, 2');
  const photos = await sql(url, 'SELECT id, owner_id, audience FROM recency_photos ORDER BY 1');
  return {
    related: pairs.map(({ user_id, contact_id }) => `${user_id} → ${contact_id}`),
    photos: photos.map(({ id, owner_id, audience }) => `${id} of ${owner_id}, ${audience}`),
  };
}

const mappingOf = ({ file }: AdoptedSite) =>
  parseMapping(file('mapping.yaml'), { file: 'mapping.yaml', schema: 'site' }).tables.map(({ table, source, when }) =>
    [table, source.of, ...[...when].map(([column, values]) => `${column}=${values.map(String)}`)].join(' '),
  );

/** Replies, boosts and deleted posts, newer than every photo. @param insert into `statuses`, up to SELECT and what only one site has */
const noPosts = (insert: string, reply = '21', none = 'NULL') => {
  const later = 'FROM_UNIXTIME(1780000000 + n)';
  return [
    `${insert} 10000 + n, 2, ${reply}, NULL, ${later}, NULL`,
    `${insert} 20000 + n, 2, ${none}, 21, ${later}, NULL`,
    `${insert} 30000 + n, 2, ${none}, NULL, ${later}, '2026-02-01'`,
  ];
};

describe('a site like Pixelfed', () => {
  let site: AdoptedSite;
  beforeAll(async () => {
    site = await adopted('pixelfed');
  });
  const STATUS = 'INSERT INTO statuses (id, profile_id, in_reply_to_id, reblog_of_id, created_at, deleted_at) SELECT';
  holds(() => site, {
    pair: { user: '1', contact: '2', at: Date.parse('2026-01-02T12:00:00Z') },
    inserts: noPosts(STATUS),
  });

  it('suspended, deleted, muted, blocked either way, themselves, nobody: not related', async () => {
    expect(await shown(site)).toEqual({
      related: ['1 → 2', '1 → 4', '2 → 1'],
      photos: ['21 of 2, 0', '22 of 2, 5', '23 of 2, 4', '26 of 2, 0', '27 of 2, 4'],
    });
  });

  it('the mapping names the tables behind the views', () => {
    expect(mappingOf(site)).toEqual([
      'followers relation',
      'profiles user',
      'user_filters relation filterable_type=App\\Profile',
      'statuses photos',
    ]);
  });
});

describe('a site like Mastodon', () => {
  let site: AdoptedSite;
  beforeAll(async () => {
    site = await adopted('mastodon');
  });
  const STATUS =
    "INSERT INTO statuses (text, updated_at, id, account_id, reply, reblog_of_id, created_at, deleted_at) SELECT '', NOW(),";
  holds(() => site, {
    pair: { user: '1', contact: '2', at: Date.parse('2026-01-02T12:00:00Z') },
    inserts: noPosts(STATUS, 'TRUE', 'FALSE'),
  });

  it('suspended, of a blocked domain, muted, blocked: not related; followers see what is for them', async () => {
    expect(await shown(site)).toEqual({
      related: ['1 → 2', '1 → 5', '2 → 1'],
      photos: ['21 of 2, 0', '22 of 2, 5', '23 of 2, 4', '26 of 2, 0'],
    });
    expect(await sql(site.url, 'SELECT DISTINCT sees FROM recency_contacts')).toEqual([{ sees: 33 }]);
  });

  it('the mapping names the tables behind the views; a mute that ends is pointed out', () => {
    expect(mappingOf(site)).toEqual([
      ...['follows relation', 'accounts user', 'blocks relation', 'mutes relation'],
      ...['account_domain_blocks user', 'statuses photos reblog_of_id=null'],
    ]);
    expect(site.report.guesses.find(({ about }) => about === 'mutes')?.check).toMatch(/expires_at/);
    const leftOut = site.report.left_out.map(({ about }) => about);
    expect(leftOut).toContain('follows.target_account_id'); // ON DELETE CASCADE
    expect(leftOut.filter((about) => about.startsWith('statuses.'))).toEqual(['statuses.account_id']);
    expect(site.report.not_used.find(({ about }) => about === 'statuses.in_reply_to_id')?.guess).toBe(
      'not used, reply is',
    );
  });
});

describe('a site like Friendica', () => {
  let site: AdoptedSite;
  beforeAll(async () => {
    site = await adopted('friendica');
  });
  const POST =
    'INSERT INTO `post-user` (received, uid, `contact-id`, id, `uri-id`, created, gravity, visible, deleted, hidden) SELECT NOW(), 7, 4,';
  const LATER = 'FROM_UNIXTIME(1780000000 + n)';
  holds(() => site, {
    pair: { user: '7', contact: '4', at: Date.parse('2026-01-02T12:00:00Z') },
    inserts: [
      `${POST} 10000 + n, 10000 + n, ${LATER}, 6, 1, 0, 0`,
      `${POST} 20000 + n, 20000 + n, ${LATER}, 0, 0, 0, 0`,
      `${POST} 30000 + n, 30000 + n, ${LATER}, 0, 1, 1, 0`,
      `${POST} 40000 + n, 40000 + n, ${LATER}, 0, 1, 0, 1`,
    ],
  });

  it('contacts are numbered apart from users, and (7, 7) is a pair; self rows, requests and blocks are not related', async () => {
    expect(await shown(site)).toEqual({
      related: ['7 → 4', '7 → 7', '8 → 9'],
      photos: ['21 of 3, 0', '22 of 4, 0', '23 of 4, 0'],
    });
    const checks = site.report.guesses.map(({ check }) => check);
    expect(checks).toContainEqual(expect.stringContaining('Set RECENCY_SEPARATE_IDS=true'));
  });

  it('the mapping names the tables behind the views; what was not understood is said', () => {
    expect(mappingOf(site)).toEqual(['contact relation', 'post-user photos']);
    expect(site.report.decisions.map(({ about }) => about)).toEqual(['user-contact']);
  });
});

describe('friends and family', () => {
  it('see what the row of the owner about them grants while it is in force, and a change of it counts', async () => {
    const { url, file } = await adopted('friends');
    const sees = await sql(
      url,
      'SELECT contact_id, sees, is_friend FROM recency_contacts WHERE user_id = 1 ORDER BY 1',
    );
    expect(sees).toEqual([
      { contact_id: 2, sees: 3, is_friend: 1 },
      { contact_id: 3, sees: 1, is_friend: 0 },
    ]);
    const [friendships] = parseMapping(file('mapping.yaml'), { file: 'mapping.yaml', schema: 'site' }).tables;
    expect(friendships?.columns).toEqual(['deleted_at', 'is_friend']);
  });
});

describe('a database that is no such site', () => {
  async function proposedFor(...statements: string[]) {
    const url = await freshDatabase();
    await sql(url, ...statements);
    return runInProcess(['init', '--out', freshFolder()], { MYSQL_URL: url });
  }

  it('says so, and fails', async () => {
    const { code, stdout } = await proposedFor('CREATE TABLE products (id INT PRIMARY KEY, name VARCHAR(20))');
    expect(code).toBe(1);
    expect(stdout).toMatch(/recency_contacts: not proposed: no table .* among: products/);
  });

  it('UUIDs and names are refused as ids, with the columns that hold them', async () => {
    const people = await proposedFor(
      'CREATE TABLE users (id CHAR(36) PRIMARY KEY)',
      'CREATE TABLE follows (follower_id CHAR(36), followed_id CHAR(36), PRIMARY KEY (follower_id, followed_id))',
      'CREATE TABLE friendships (user_uuid BINARY(16), friend_uuid BINARY(16), PRIMARY KEY (user_uuid, friend_uuid))',
    );
    expect(people.code).toBe(1);
    expect(people.stdout).toContain(
      'follows: refused: follower_id is char(36), followed_id is char(36), which is no whole',
    );
    expect(people.stdout).toContain('friendships: refused: user_uuid is binary(16), friend_uuid is binary(16), which');
    expect(people.stdout).toContain('by whole numbers (BIGINT UNSIGNED) only');
    const photos = await proposedFor(
      'CREATE TABLE users (id BIGINT PRIMARY KEY)',
      'CREATE TABLE follows (follower_id BIGINT, followed_id BIGINT, PRIMARY KEY (follower_id, followed_id))',
      'CREATE TABLE photos (id VARCHAR(40) PRIMARY KEY, user_id BIGINT, created_at DATETIME)',
    );
    expect(photos.code).toBe(1);
    expect(photos.stdout).toContain('photos: refused: id is varchar(40), which is no whole number');
  });
});
