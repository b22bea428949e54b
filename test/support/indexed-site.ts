import { expect } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import { openSitePool } from '../../src/tools/reference-site/transaction.ts';
import type { Settings } from './cli.ts';
import { runInProcess } from './in-process.ts';
import { sql } from './servers.ts';
import { everybodyKnows, writeSite } from './small-site.ts';

/** On a busy machine, the test's own process keeps its commands waiting. */
const PATIENT = { REDIS_TIMEOUT_MS: '20000', MYSQL_TIMEOUT_MS: '20000' } as const;

/** Writes a site where each user has all of the contacts (see `everybodyKnows`), and builds their indexes. */
export async function indexedSite(
  settings: Settings & { MYSQL_URL: string },
  users: readonly Id[],
  contacts: readonly Id[],
): Promise<void> {
  const pool = openSitePool(settings.MYSQL_URL, 2);
  await writeSite(pool, everybodyKnows(users, contacts));
  await pool.end();
  const { code, stderr } = await runInProcess(['backfill'], { ...settings, ...PATIENT });
  expect(code, stderr).toBe(0);
}

/** Tasks in the outbox that the relay has not published yet. */
export async function unpublished(url: string): Promise<number> {
  const [row] = await sql(url, 'SELECT COUNT(*) AS n FROM recency_outbox WHERE published_at IS NULL');
  return Number(row?.n);
}
