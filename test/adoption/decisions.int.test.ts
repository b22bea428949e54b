/** What `recency init` does not know: it says so, proposes nothing that could do harm, and compares the result with the site's own SQL. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { freshDatabase, sql } from '../support/servers.ts';
import { adopted, type InitReport, SITES } from './adopted-site.ts';
import { HUMHUB } from './shape-scripts.ts';
import { statementsOf } from './statements-of.ts';

const DECISIONS = {
  humhub: ['user.status', 'user.visibility', 'contentcontainer_blocked_users', 'content.visibility', 'content.state'],
  buddypress: [
    ...['wp_bp_friends', 'wp_users.user_status', 'wp_bp_activity'],
    ...['wp_bp_activity.component', 'wp_bp_activity.type'],
  ],
  elgg: ['entities.access_id', 'metadata', 'entities.access_id', 'entities.type', 'entities.subtype'],
  ossn: ['ossn_relationships.type', 'ossn_object', 'ossn_object.type'],
} as const;

/** Writes that the site's own code may make, and that no proposal may refuse. */
const WRITES: Readonly<Record<keyof typeof DECISIONS, readonly string[]>> = {
  humhub: [
    "INSERT INTO user_follow VALUES (NULL, 'humhub\\\\modules\\\\space\\\\models\\\\Space', 2, 1, 1)",
    "INSERT INTO user_follow VALUES (NULL, 'humhub\\\\modules\\\\space\\\\models\\\\Space', 2, 1, 1)",
    "INSERT INTO content VALUES (NULL, 'x', 1, 1, 0, 0, 1, '2026-01-01', 1, NULL, 1)",
    "INSERT INTO content VALUES (NULL, 'x', 2, NULL, NULL, NULL, 1, NULL, NULL, NULL, NULL)",
  ],
  buddypress: [
    "INSERT INTO wp_bp_friends VALUES (NULL, 1, 2, 0, 0, '2026-01-01')",
    "INSERT INTO wp_bp_activity VALUES (NULL, 1, 'activity', 'activity_update', '', 0, '2026-01-01', 0, 0)",
    "SET SESSION sql_mode = ''; INSERT INTO wp_bp_activity VALUES (NULL, 1, 'activity', 'activity_update', '', 0, '0000-00-00 00:00:00', 0, 0)",
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES'; INSERT INTO wp_bp_activity VALUES (NULL, 1, 'activity', 'activity_update', '', 0, '0000-00-00 00:00:00', 0, 0)",
  ],
  elgg: ["INSERT INTO entities VALUES (NULL, 'object', 'blog', 1, 1, 2, 2147483647, 0, 'yes')"],
  ossn: [
    "INSERT INTO ossn_relationships VALUES (NULL, 1, 2, 'friend:request', 1)",
    "INSERT INTO ossn_object VALUES (NULL, 1, 'user', 1, '', '', 'wall')",
  ],
};

function folderFor(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recency-decisions-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function proposedFor(...statements: string[]) {
  const url = await freshDatabase();
  await sql(url, ...statements);
  const folder = join(folderFor(), 'out');
  const { code, json, stdout } = await runInProcess(['init', '--json', '--out', folder], { MYSQL_URL: url });
  const [report] = json() as InitReport[];
  if (report === undefined) throw new Error(stdout);
  return { url, code, report, file: (name: string) => readFileSync(join(folder, name), 'utf8') };
}

const siteSql = (site: string) => statementsOf(readFileSync(new URL(`./sites/${site}.sql`, import.meta.url), 'utf8'));

describe.each(Object.keys(DECISIONS) as (keyof typeof DECISIONS)[])('a site like %s', (site) => {
  it('lists what a person must decide, with what was found; the files do not run before', async () => {
    const { url, code, report, file } = await proposedFor(...siteSql(site));
    expect(code).toBe(3);
    expect(report.decisions.map(({ about }) => about)).toEqual(DECISIONS[site]);
    for (const { about, guess, check } of report.decisions) {
      expect(check).toMatch(/\?/);
      expect(file('views.sql')).toContain(`-- TODO ${about}: ${guess}.\n`);
    }
    await expect(sql(url, ...statementsOf(file('indexes.sql')), ...statementsOf(file('views.sql')))).rejects.toThrow(
      /TODO/,
    );
  });

  it('lets the site write as before', async () => {
    const { url } = await adopted(site);
    for (const write of WRITES[site]) await sql(url, ...write.split('; '));
  });
});

it.each(SITES)('proposes no unique index and no clean-up for a site like %s', async (site) => {
  const { file } = await proposedFor(...siteSql(site));
  for (const name of ['indexes.sql', 'views.sql', 'mapping.yaml']) {
    expect(file(name)).not.toMatch(/UNIQUE (KEY|INDEX)|go first|DELETE FROM/);
  }
});

it('reads the rows of people alone where a table has rows of several things', async () => {
  const { report, file } = await proposedFor(...siteSql('humhub'));
  expect(report.guesses.find(({ about }) => about === 'user_follow.object_model')?.found).toBe(
    String.raw`humhub\modules\user\models\User (5 rows), humhub\modules\post\models\Post (2), humhub\modules\space\models\Space (2)`,
  );
  expect(file('views.sql')).toContain(String.raw`AND c.${'`object_model`'} = 'humhub\\modules\\user\\models\\User'`);
  expect(report.not_used.map(({ about }) => about)).toEqual(['user_friendship']);
});

it('takes a foreign key for evidence: people may be in a table of any name', async () => {
  const { code, report } = await proposedFor(
    'CREATE TABLE beings (id INT PRIMARY KEY)',
    'CREATE TABLE friendships (user_id INT, friend_user_id INT, PRIMARY KEY (user_id, friend_user_id), FOREIGN KEY (friend_user_id) REFERENCES beings (id))',
    'CREATE TABLE photos (id INT PRIMARY KEY, user_id INT, created_at DATETIME, is_public TINYINT NOT NULL)',
  );
  expect(code).toBe(0);
  expect(report.guesses.map(({ about, guess }) => `${about}: ${guess}`)).toContain('beings: the people');
});

it('does not take NULL for a rule where a foreign key makes a column NULL; a photo that a deleted one takes along had a column', async () => {
  const { url, code, report, file } = await proposedFor(
    'CREATE TABLE users (id INT PRIMARY KEY)',
    'CREATE TABLE follows (user_id INT, followed_id INT, PRIMARY KEY (user_id, followed_id), KEY (followed_id))',
    `CREATE TABLE posts (id INT PRIMARY KEY, user_id INT, created_at DATETIME, in_reply_to_id INT NULL, repost_of_id INT NULL,
      FOREIGN KEY (in_reply_to_id) REFERENCES posts (id) ON DELETE SET NULL, FOREIGN KEY (repost_of_id) REFERENCES posts (id) ON DELETE CASCADE)`,
  );
  expect(code).toBe(3);
  expect(report.decisions.map(({ about }) => about)).toContain('posts.in_reply_to_id');
  expect(file('indexes.sql')).toContain('TODO');
  expect(file('mapping.yaml')).toContain("when: { 'repost_of_id': null }");
  expect(file('mapping.yaml')).not.toContain("'in_reply_to_id'");
  const folder = folderFor();
  writeFileSync(join(folder, 'mapping.yaml'), file('mapping.yaml'));
  const triggers = await runInProcess(['triggers', '--mapping', join(folder, 'mapping.yaml')], { MYSQL_URL: url });
  expect(triggers).toMatchObject({ code: 0, stderr: '' });
});

it('asks where a foreign key makes every column of replies NULL, and says which keys within a table nothing can be told of', async () => {
  const { report, file } = await proposedFor(
    'CREATE TABLE users (id INT PRIMARY KEY)',
    'CREATE TABLE follows (user_id INT, followed_id INT, PRIMARY KEY (user_id, followed_id), KEY (followed_id))',
    `CREATE TABLE posts (id INT PRIMARY KEY, user_id INT, created_at DATETIME, in_reply_to_id INT NULL, reply_to_post_id INT NULL,
      album_post INT, FOREIGN KEY (user_id) REFERENCES users (id), FOREIGN KEY (in_reply_to_id) REFERENCES posts (id) ON DELETE SET NULL,
      FOREIGN KEY (reply_to_post_id) REFERENCES posts (id) ON DELETE SET NULL,
      FOREIGN KEY (album_post) REFERENCES posts (id) ON DELETE CASCADE)`,
  );
  const decided = report.decisions.map(({ about }) => about);
  expect(decided).toEqual(expect.arrayContaining(['posts.in_reply_to_id', 'posts.reply_to_post_id']));
  expect(report.not_used).toEqual([]);
  expect(report.left_out).toMatchObject([
    { about: 'posts.album_post', check: 'Make the key RESTRICT: capture and triggers refuse it.' },
  ]);
  expect(file('mapping.yaml')).not.toContain('when:');
});

it('writes a skeleton where no table of photos is recognized', async () => {
  const { code, report, file } = await proposedFor(
    'CREATE TABLE users (id INT PRIMARY KEY)',
    'CREATE TABLE follows (user_id INT, followed_id INT, PRIMARY KEY (user_id, followed_id))',
  );
  expect(code).toBe(3);
  expect(report.decisions.map(({ about }) => about)).toEqual(['recency_photos']);
  expect(file('views.sql')).toContain('TODO AS uploaded_at');
});

describe('--check', () => {
  async function checked(url: string, text: string, ...flags: string[]) {
    const file = join(folderFor(), 'page.sql');
    writeFileSync(file, text);
    return await runInProcess(['init', '--check', file, ...flags], { MYSQL_URL: url });
  }
  const page = HUMHUB.answer.replaceAll('?', ':user');

  it('finds nothing where the views say what the site says', async () => {
    const { url } = await adopted('humhub');
    const { code, stdout } = await checked(url, `-- the page\n${page};\n`);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ users compared .*: 0 differ/),
    });
  });

  it('shows who is on the site alone, in the views alone, and whose time differs, and why', async () => {
    const { url } = await adopted('humhub');
    await sql(url, 'UPDATE user SET status = 1', 'DELETE FROM contentcontainer_blocked_users');
    const other = page.replace('p.status = 1', 'p.id <> 2').replace('* 1000)', '* 1000 + 5)');
    await sql(
      url,
      `INSERT INTO content VALUES (901, 'humhub\\\\modules\\\\post\\\\models\\\\Post', 901, 1, 0, 0, 1, '2026-01-06', 4, NULL, 4)`,
    );
    const { code, stdout } = await checked(url, other);
    expect(code).toBe(3);
    expect(stdout).toContain('2: in the views, not on the site');
    expect(stdout).toMatch(
      /4: the newest photo is of 1767657600005 on the site, of 2026-01-06T00:00:00.000Z in the views/,
    );
    await sql(url, 'UPDATE user SET status = 0 WHERE id = 4');
    expect((await checked(url, other)).stdout).toContain('4: on the site, not in the views (not related)');
    const { json } = await checked(url, other, '--json');
    expect(json()).toMatchObject([{ different: 1, differences: [{ user: '1', extra: ['2'] }] }]);
  });

  it('refuses a file that is not one SELECT about a user', async () => {
    const { url } = await adopted('friends');
    for (const text of ['DELETE FROM users WHERE id = :user', 'SELECT 1']) {
      expect(await checked(url, text)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/one SELECT, with :user/),
      });
    }
  });
});
