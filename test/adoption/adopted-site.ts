import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { ContactsDatabase } from '../support/contacts-database.ts';
import { runInProcess } from '../support/in-process.ts';
import { closeAtEnd, freshDatabase, sql } from '../support/servers.ts';
import { EDITS, edited } from './site-edits.ts';
import { statementsOf } from './statements-of.ts';

export const SITES = ['pixelfed', 'mastodon', 'friendica', 'humhub', 'buddypress', 'elgg', 'ossn'] as const;

export type SiteName = (typeof SITES)[number] | 'friends';

interface Said {
  readonly about: string;
  readonly guess: string;
  readonly why: string;
  readonly found?: string;
  readonly check?: string;
}

/** What `recency init --json` prints. */
export interface InitReport {
  readonly views: readonly string[];
  readonly guesses: readonly Said[];
  readonly decisions: readonly Said[];
  readonly not_used: readonly Said[];
  readonly left_out: readonly { about: string; why: string }[];
}

/** A database with a site's tables, what `recency init` proposes for it, and the proposal put into it with the engineer's edits. */
export async function adopted(site: SiteName) {
  const url = await freshDatabase();
  await sql(url, ...statementsOf(readFileSync(new URL(`./sites/${site}.sql`, import.meta.url), 'utf8')));
  const shape = () =>
    sql(
      url,
      'SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1, 2',
    );
  const before = await shape();
  const folder = join(mkdtempSync(join(tmpdir(), 'recency-init-test-')), 'out');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const init = () => runInProcess(['init', '--json', '--out', folder], { MYSQL_URL: url });
  const { code, stderr, json } = await init();
  expect({ code, stderr }).toEqual({ code: EDITS[site].length > 0 ? 3 : 0, stderr: '' });
  expect(await shape()).toEqual(before);
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  const written = file('views.sql');
  for (const name of ['indexes.sql', 'views.sql', 'mapping.yaml'] as const) {
    writeFileSync(join(folder, name), edited(name, file(name), EDITS[site]));
  }
  await sql(url, ...statementsOf(file('indexes.sql')), ...statementsOf(file('views.sql')));
  const database = new ContactsDatabase(url, { connections: 5, queue: 1_000, deadlineMs: 60_000 });
  closeAtEnd(() => database.close());
  const [report] = json() as InitReport[];
  if (report === undefined) throw new Error('no report');
  return { url, database, report, init, file, written, mapping: join(folder, 'mapping.yaml') };
}

export type AdoptedSite = Awaited<ReturnType<typeof adopted>>;
