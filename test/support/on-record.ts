import type { Database } from '../../src/mysql/database.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { isSuspended, suspendedToken, tokenOn } from '../../src/mysql/epoch-token.ts';
import type { RedisRole } from '../../src/mysql/redis-masters.ts';
import { proofOf } from '../../src/mysql/session.ts';
import { sql } from './servers.ts';

/** As after a failover: another server than this one is on record, under an epoch that is suspended if this one is. */
export async function putOnRecord(database: Database, identity = 'uuid:the-one-that-was-lost'): Promise<void> {
  const { token } = await readEpoch(database);
  const other = tokenOn(proofOf(identity), token.slice(-8));
  await database.write('UPDATE recency_epoch SET token = ?', [isSuspended(token) ? suspendedToken(other) : other]);
}

/** As after Redis was replaced: its masters on record are others than those in use. */
export async function replaceMasters(url: string, role: RedisRole): Promise<void> {
  await sql(url, `UPDATE recency_settings SET value = '["another"]' WHERE name = 'redis:${role}'`);
}
