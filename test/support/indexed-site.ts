import { expect } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import { runCli, type Settings } from './cli.ts';
import { sql } from './servers.ts';
import { everybodyKnows, writeSite } from './small-site.ts';

/** Writes a site where each user has all of the contacts (see `everybodyKnows`), and builds their indexes. */
export async function indexedSite(
  settings: Settings & { MYSQL_URL: string },
  users: readonly Id[],
  contacts: readonly Id[],
): Promise<void> {
  const pool = openSitePool(settings.MYSQL_URL, 2);
  await writeSite(pool, everybodyKnows(users, contacts));
  await pool.end();
  expect((await runCli(['backfill'], settings)).code).toBe(0);
}

/** Tasks in the outbox that the relay has not published yet. */
export async function unpublished(url: string): Promise<number> {
  const [row] = await sql(url, 'SELECT COUNT(*) AS n FROM recency_outbox WHERE published_at IS NULL');
  return Number(row?.n);
}
