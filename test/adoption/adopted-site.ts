import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { Database } from '../../src/mysql/database.ts';
import { runInProcess } from '../support/in-process.ts';
import { freshDatabase, sql } from '../support/servers.ts';
import { statementsOf } from './statements-of.ts';

export const SITES = ['pixelfed', 'mastodon', 'friendica'] as const;

export type SiteName = (typeof SITES)[number];

/** What `recency init --json` prints. */
export interface InitReport {
  readonly views: readonly string[];
  readonly guesses: readonly { about: string; guess: string; why: string; check?: string }[];
  readonly left_out: readonly { about: string; why: string }[];
}

/** A database with a site's tables, what `recency init` proposes for it, and the proposal put into it as it is. */
export async function adopted(site: SiteName | 'friends') {
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
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await shape()).toEqual(before);
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  await sql(url, ...statementsOf(file('indexes.sql')), ...statementsOf(file('views.sql')));
  const database = new Database(url, { connections: 5, queue: 1_000, deadlineMs: 10_000 });
  afterAll(() => database.close());
  const [report] = json() as InitReport[];
  if (report === undefined) throw new Error('no report');
  return { url, database, report, init, file, mapping: join(folder, 'mapping.yaml') };
}

export type AdoptedSite = Awaited<ReturnType<typeof adopted>>;
