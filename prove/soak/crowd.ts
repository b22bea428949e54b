import type { Pool } from 'mysql2/promise';
import type { Id } from '../../src/contracts/id.ts';
import { FOLLOWERS_A_PAGE } from '../../src/index/fan-out.ts';
import { idsFrom, loadGraph } from '../../src/tools/reference-site/load-graph.ts';

/** People who do nothing but follow: an audience of more than a page, so that each upload of the star is planned. More would make the rests long. */
const CROWD = FOLLOWERS_A_PAGE + 100;

/** Greater than every id of the others. */
const FIRST = 9_000_000_000n;

/** Lets a crowd follow the star. Verification compares their indexes with MySQL at rest, as everybody's. */
export async function gatherCrowd(pool: Pool, star: Id): Promise<void> {
  const users = idsFrom(FIRST, CROWD);
  await loadGraph(pool, {
    users: users.map((id) => ({ id })),
    contacts: users.map((user) => ({ user, contact: star })),
  });
}
