/**
 * The token of an epoch: the server that it is valid on, and a nonce.
 *
 * What one server has written may arrive on another by replication, long after the other was put on record: when the dead half of a
 * pair of masters comes back. A row that arrives replaces only the columns that the log holds, so the server cannot be in a column
 * of its own. An older epoch that arrives names a server that the rows beside it are not from, and its indexes stay cold.
 */

/** Characters of the server, and of the nonce. */
const PART_LENGTH = 8;

const SUSPENDED = '!';

/**
 * While the epoch is suspended no index is trusted or built. Its token begins with a mark that no index can have, so
 * every statement that returns the epoch says so in its own snapshot.
 */
export function isSuspended(token: string): boolean {
  return token.startsWith(SUSPENDED);
}

/** @param token of an epoch, which need not be the one in force */
export function suspendedToken(token: string): string {
  return SUSPENDED + token;
}

/**
 * @param server its proof (see session.ts); undefined: none is on record
 * @param nonce of 8 characters, which no other epoch has
 */
export function tokenOn(server: string | undefined, nonce: string): string {
  return server === undefined ? nonce : Buffer.from(server, 'hex').toString('base64url') + nonce;
}

/** The proof of the server on record; undefined: none is, as after the first migration and after version 0.1.0. */
export function serverOn(token: string): string | undefined {
  const own = isSuspended(token) ? token.slice(SUSPENDED.length) : token;
  if (own.length !== 2 * PART_LENGTH) return undefined;
  return Buffer.from(own.slice(0, PART_LENGTH), 'base64url').toString('hex');
}
