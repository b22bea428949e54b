import type { Pool, PoolConnection } from 'mysql2/promise';
import type { Id } from '../../../src/contracts/id.ts';
import type { Edge } from '../../../src/tools/reference-site/edge-list.ts';
import { lockUsers, recomputeLastUploads } from '../../../src/tools/reference-site/last-uploads.ts';
import { insertContacts, insertPhotos } from '../../../src/tools/reference-site/load-graph.ts';
import { inTransaction } from '../../../src/tools/reference-site/transaction.ts';

interface Pair {
  readonly user: Id;
  readonly contact: Id;
}

const TELL_CONTACTS = `
  INSERT INTO recency_outbox (type, user_id, other_id, version)
  SELECT 'recency.contact.added', it.user_id, it.contact_id, 1
  FROM JSON_TABLE(?, '$[*]' COLUMNS (user_id BIGINT UNSIGNED PATH '$[0]', contact_id BIGINT UNSIGNED PATH '$[1]')) AS it`;

const TELL_UPLOADS = `
  INSERT INTO recency_outbox (type, user_id, at)
  SELECT 'recency.photo.uploaded', it.owner_id, it.at
  FROM JSON_TABLE(?, '$[*]' COLUMNS (owner_id BIGINT UNSIGNED PATH '$[0]', at BIGINT PATH '$[1]')) AS it`;

/**
 * A site driven by edges: the first src → dst makes dst a contact of src, and every line is an upload by src. Several lines go into one transaction, with a task in the outbox for each contact and each upload.
 */
export class EdgeSite {
  readonly #pool: Pool;
  readonly #known = new Set<string>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Writes these lines in one transaction. The users must exist. */
  async commit(edges: readonly Edge[]): Promise<void> {
    const owners = [...new Set(edges.map(({ source }) => source))];
    const pairs = this.#newPairs(edges);
    await inTransaction(this.#pool, async (connection) => {
      await lockUsers(connection, owners);
      await insertContacts(connection, pairs);
      await insertPhotos(
        connection,
        edges.map(({ source, at }) => ({ owner: source, audience: 0, uploadedAt: at }) as const),
      );
      await recomputeLastUploads(connection, owners);
      await leaveTasks(connection, pairs, edges);
    });
  }

  #newPairs(edges: readonly Edge[]): Pair[] {
    const pairs: Pair[] = [];
    for (const { source, target } of edges) {
      const pair = `${source} ${target}`;
      if (source === target || this.#known.has(pair)) continue;
      this.#known.add(pair);
      pairs.push({ user: source, contact: target });
    }
    return pairs;
  }
}

async function leaveTasks(connection: PoolConnection, pairs: readonly Pair[], edges: readonly Edge[]): Promise<void> {
  const contacts = pairs.map(({ user, contact }) => [user, contact]);
  const uploads = edges.map(({ source, at }) => [source, at]);
  await connection.execute(TELL_CONTACTS, [JSON.stringify(contacts)]);
  await connection.execute(TELL_UPLOADS, [JSON.stringify(uploads)]);
}
