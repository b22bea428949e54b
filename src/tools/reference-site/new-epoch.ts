import { randomBytes } from 'node:crypto';
import type { PoolConnection } from 'mysql2/promise';
import { bump } from '../../mysql/epoch.ts';

/**
 * Starts a new epoch in the transaction of a bulk change that leaves no tasks: every index is cold from its commit on,
 * and none is silently wrong.
 * @throws EpochMissing
 */
export async function startNewEpoch(connection: PoolConnection, why: string): Promise<void> {
  await bump(connection, { token: randomBytes(8).toString('base64url'), why, bumpedAt: Date.now() });
}
