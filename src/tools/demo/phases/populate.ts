import type { Pool, RowDataPacket } from 'mysql2/promise';
import { StartError } from '../../../config/start-error.ts';
import type { Id } from '../../../contracts/id.ts';
import { importEdges } from '../../reference-site/import-edges.ts';
import { idsFrom, type LoadCounts, loadGraph } from '../../reference-site/load-graph.ts';
import { type GroupCounts, loadGroups } from '../../reference-site/load-groups.ts';
import { type Cast, castGraph, playersGraph } from '../graph.ts';
import { groupsGraph } from '../group-graph.ts';
import type { DemoOptions } from '../options.ts';
import type { Random } from '../random.ts';

export interface Population {
  readonly cast: Cast;
  readonly groups: readonly Id[];
  readonly counts: LoadCounts & GroupCounts;
}

const FEWEST_PLAYERS = 2;

const USERS = 'SELECT id FROM users ORDER BY id';
const PHOTOS = 'SELECT id, uploaded_at FROM photos ORDER BY id';

/**
 * Fills the reference schema with generated or imported people and their groups, and adds those that the phases need. @throws
 * StartError, SiteError
 */
export async function populate(pool: Pool, options: DemoOptions, random: Random): Promise<Population> {
  const now = Date.now();
  const first =
    options.data === undefined
      ? await loadGraph(pool, playersGraph(idsFrom(1n, options.users), random, now))
      : await importEdges(pool, options.data);
  const [rows] = await pool.query<RowDataPacket[]>(USERS);
  const players = rows.map((row) => String(row.id));
  if (players.length < FEWEST_PLAYERS)
    throw new StartError(`${options.data} names ${players.length} people; the demonstration needs at least two`);
  const firstNewId = BigInt(players.at(-1) ?? 0) + 1n;
  const { cast, graph } = castGraph({ players, firstNewId, most: options.most, random, now });
  const second = await loadGraph(pool, graph);
  const third = groupsGraph({ players, photos: await photosOf(pool), random, now });
  const counts = {
    ...(await loadGroups(pool, third)),
    users: first.users + second.users,
    contacts: first.contacts + second.contacts,
    photos: first.photos + second.photos,
  };
  return { cast, groups: third.groups.map(({ id }) => id), counts };
}

async function photosOf(pool: Pool): Promise<{ id: Id; uploadedAt: number }[]> {
  const [rows] = await pool.query<RowDataPacket[]>(PHOTOS);
  return rows.map(({ id, uploaded_at }) => ({ id: String(id), uploadedAt: Number(uploaded_at) }));
}
