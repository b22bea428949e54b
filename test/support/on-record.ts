import type { Database } from '../../src/mysql/database.ts';
import { readEpoch } from '../../src/mysql/epoch.ts';
import { tokenOn } from '../../src/mysql/epoch-token.ts';
import type { RedisRole } from '../../src/mysql/redis-masters.ts';
import { proofOf } from '../../src/mysql/session.ts';
import { sql } from './servers.ts';

/** As after a failover: another server than this one is on record, under an epoch with the same nonce. */
export async function putOnRecord(database: Database, identity = 'uuid:the-one-that-was-lost'): Promise<void> {
  const nonce = (await readEpoch(database)).token.slice(-8);
  await database.write('UPDATE recency_epoch SET token = ?', [tokenOn(proofOf(identity), nonce)]);
}

/** As after Redis was replaced: its masters on record are others than those in use. */
export async function replaceMasters(url: string, role: RedisRole): Promise<void> {
  await sql(url, `UPDATE recency_settings SET value = '["another"]' WHERE name = 'redis:${role}'`);
}
