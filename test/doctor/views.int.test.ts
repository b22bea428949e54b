/** What a person gets wrong in the views, and doctor says. */
import { expect, it } from 'vitest';
import type { Finding } from '../../src/health/finding.ts';
import type { Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { sql } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { migratedDatabase } from '../support/stores.ts';
import { createContacts, createPhotos } from './own-views.ts';

async function doctorOf(...statements: string[]) {
  const url = await migratedDatabase();
  await sql(url, ...statements);
  const settings: Settings = { ...(await serviceSettings()), MYSQL_URL: url };
  const { json } = await runInProcess(['doctor', '--json'], settings);
  const [report] = json() as { findings: Finding[] }[];
  return (check: string) => report?.findings.find((finding) => finding.area === 'mysql' && finding.check === check);
}

const NOW = 'UNIX_TIMESTAMP() * 1000';

it('pairs that no unique key keeps apart, although each is there once now, and then twice', async () => {
  const tables = ['CREATE TABLE bans (user_id BIGINT UNSIGNED NOT NULL, KEY (user_id))'];
  const joined = createContacts('LEFT JOIN bans ON bans.user_id = c.contact_id');
  const rows = [
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
  ];
  const once = await doctorOf(...tables, joined, ...rows);
  expect(once('pairs')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/no unique key says so: a pair may find several rows of bans$/),
  });
  const twice = await doctorOf(...tables, joined, ...rows, 'INSERT INTO bans VALUES (2), (2)');
  expect(twice('pairs')).toMatchObject({ state: 'problem', detail: expect.stringContaining('user 1, contact_id 2') });
});

it('the views of the reference schema have unique keys for each pair', async () => {
  const find = await doctorOf(
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
  );
  expect(find('pairs')).toMatchObject({ state: 'fine', detail: '1 rows of recency_contacts: each pair once' });
  expect(find('speed')).toMatchObject({ state: 'fine' });
});

it.each([
  ['UNIX_TIMESTAMP()', 'problem', /looks like seconds/],
  ['UNIX_TIMESTAMP() * 1000000', 'problem', /looks like microseconds/],
  [`${NOW} + 7200000`, 'warning', /in the future for 1 of them, by up to 2\.0 hours: are these local times/],
  [NOW, 'fine', /milliseconds; the newest is 0\.0 hours old/],
])('times: %s', async (time, state, detail) => {
  const find = await doctorOf(
    `INSERT INTO photos (id, owner_id, audience, uploaded_at, title) VALUES (1, 2, 0, ${time}, '')`,
  );
  expect(find('times')).toMatchObject({ state, detail: expect.stringMatching(detail) });
});

it('an audience that no rule of sees covers', async () => {
  const find = await doctorOf(
    createPhotos('IF(p.id = 2, 7, p.audience)'),
    `INSERT INTO photos (id, owner_id, audience, uploaded_at, title) VALUES (1, 2, 0, ${NOW}, ''), (2, 2, 0, ${NOW}, ''), (3, 2, 4, ${NOW}, '')`,
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
  );
  expect(find('audiences')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^nobody sees audience 7 \(1 photo\)/),
  });
});

it('a subquery that runs again for each row', async () => {
  const find = await doctorOf(
    'CREATE TABLE bans (user_id BIGINT UNSIGNED NOT NULL, reason TEXT, KEY (user_id))',
    createContacts(
      '',
      'WHERE c.contact_id <> (SELECT COALESCE(MAX(b.user_id), 0) FROM bans AS b WHERE b.user_id = c.contact_id)',
    ),
  );
  expect(find('indexes')).toMatchObject({ state: 'problem', detail: expect.stringMatching(/runs again for each row/) });
});

it('a view that became slow: which, how long, and what MySQL reads', async () => {
  const find = await doctorOf(
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
    createContacts('', 'WHERE SLEEP(1.5) = 0'),
  );
  expect(find('speed')).toMatchObject({
    state: 'problem',
    detail: expect.stringMatching(/^all of user 1 \(recency_contacts, recency_photos\): \d+ ms\. MySQL reads c: /),
  });
});

it('a question that has no answer in time names the views that it asks', async () => {
  const url = await migratedDatabase();
  await sql(
    url,
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
    createContacts('', 'WHERE SLEEP(8) = 0'),
  );
  const settings: Settings = { ...(await serviceSettings()), MYSQL_URL: url, MYSQL_TIMEOUT_MS: '500' };
  const { stderr } = await runInProcess(['verify', '--users', '1'], settings);
  expect(stderr).toMatch(/no answer within 500 ms to a question about recency_contacts/);
});

it('a row that breaks every question to a view', async () => {
  const find = await doctorOf(
    "INSERT INTO users (id, name) VALUES (1, '{}'), (2, 'no JSON')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
    createContacts('JOIN users AS u ON u.id = c.contact_id', 'WHERE EXP(u.id * 999) > 0'),
  );
  expect(find('pairs')).toMatchObject({
    state: 'problem',
    detail: expect.stringMatching(/^MySQL cannot read a row of recency_contacts or recency_photos: /),
    mend: expect.stringMatching(/`recency verify --users all` names the users concerned/),
  });
});

it.each([
  ['c.contact_id', '0.5 + c.contact_id AS contact_id', 'user 1, contact_id 2.5'],
  ['c.user_id', '0.5 + c.user_id AS user_id', 'user 1.5, contact_id 2'],
])('an id that is not a whole number: %s', async (column, instead, pair) => {
  const find = await doctorOf(
    "INSERT INTO users (id, name) VALUES (1, 'ann'), (2, 'bob')",
    'INSERT INTO contacts (user_id, contact_id) VALUES (1, 2)',
    createContacts().replace(column, instead),
  );
  expect(find('pairs')).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining(`1 have an id that is not a whole number: ${pair}`),
  });
});

it('of a view that is missing, no row that cannot be read', async () => {
  const find = await doctorOf('DROP VIEW recency_photos');
  expect(find('schema')).toMatchObject({ state: 'problem' });
  expect(find('times')).toMatchObject({ state: 'problem', detail: expect.not.stringContaining('cannot read a row') });
});
