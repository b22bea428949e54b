import type { RowDataPacket } from 'mysql2/promise';
import { UserError } from '../contracts/user-error.ts';
import type { Database } from './database.ts';

const NEXT = `
  INSERT INTO recency_leases (name, token, granted_at) VALUES (?, 1, ?)
  ON DUPLICATE KEY UPDATE token = token + 1, granted_at = ?`;

const TOKEN = 'SELECT token FROM recency_leases WHERE name = ?';

/**
 * Issues a lease's next fencing token, a BIGINT as decimal text: greater than every earlier one.
 * @param now ms since 1970 UTC
 * @throws DatabaseUnavailable
 */
export async function nextFencingToken(database: Database, name: string, now: number): Promise<string> {
  return await database.transaction(async (connection) => {
    // The row stays locked until the commit, so no other process reads the same token.
    await connection.execute(NEXT, [name, now, now]);
    const [rows] = await connection.execute<RowDataPacket[]>(TOKEN, [name]);
    return String(rows[0]?.token);
  });
}

/** Fences writes under a lease: its name, and the fencing token that came with it. */
export interface Fence {
  readonly lease: string;
  readonly token: string;
}

/** A former holder of the lease tried to write after another process had got it. Nothing was written. */
export class StaleFence extends UserError {
  override readonly name = 'StaleFence';

  constructor({ lease, token }: Fence) {
    super(`the lease '${lease}' was given to another process since (this one's fencing token is ${token})`);
  }
}

/** SQL: no later token was issued for the lease. Its two placeholders: the lease's name and the token. */
export const NOT_STALE = `
  NOT EXISTS (SELECT 1 FROM recency_leases AS l WHERE l.name = ? AND l.token > ?)`;
