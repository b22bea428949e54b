import type { Pool, RowDataPacket } from 'mysql2/promise';
import { StartError } from '../../../app/start-error.ts';
import type { Id } from '../../../contracts/id.ts';
import { importEdges } from '../../reference-site/import-edges.ts';
import { type LoadCounts, loadGraph } from '../../reference-site/load-graph.ts';
import { type Cast, castGraph, idsFrom, playersGraph } from '../graph.ts';
import type { DemoOptions } from '../options.ts';
import type { Random } from '../random.ts';

export interface Population {
  readonly cast: Cast;
  readonly counts: LoadCounts;
}

const FEWEST_PLAYERS = 2;

const USERS = 'SELECT id FROM users ORDER BY id';

/** Fills the reference schema: people made up or imported, and then those whom the demonstration needs besides. @throws StartError, SiteError */
export async function populate(pool: Pool, options: DemoOptions, random: Random): Promise<Population> {
  const now = Date.now();
  const first =
    options.data === undefined ? await generate(pool, options.users, random, now) : await load(pool, options.data);
  const players = await usersOf(pool);
  if (players.length < FEWEST_PLAYERS)
    throw new StartError(`${options.data} names ${players.length} people; it takes two`);
  const firstNewId = BigInt(players.at(-1) ?? 0) + 1n;
  const { cast, graph } = castGraph({ players, firstNewId, most: options.most, random, now });
  const second = await loadGraph(pool, graph);
  return { cast, counts: sum(first, second) };
}

function generate(pool: Pool, users: number, random: Random, now: number): Promise<LoadCounts> {
  return loadGraph(pool, playersGraph(idsFrom(1n, users), random, now));
}

function load(pool: Pool, file: string): Promise<LoadCounts> {
  return importEdges(pool, file);
}

async function usersOf(pool: Pool): Promise<Id[]> {
  const [rows] = await pool.query<RowDataPacket[]>(USERS);
  return rows.map((row) => String(row.id));
}

function sum(a: LoadCounts, b: LoadCounts): LoadCounts {
  return { users: a.users + b.users, contacts: a.contacts + b.contacts, photos: a.photos + b.photos };
}
