/**
 * Servers that were on record and were replaced.
 *
 * Where processes come to several servers in turns (a balancer with more than one behind it, a setting that differs, one that
 * was replaced but not stopped), each would put its own on record, and a new epoch would begin at every comparison. So a
 * server that was replaced is refused, not put on record again, while the one that replaced it is still in use.
 */
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { ColumnValue } from '../site/row.ts';
import { SETTING } from './settings.ts';

/** What is known of those that had one place. */
export interface ReplacedServers {
  /** When the server on record was last seen, ms since 1970 UTC. */
  readonly seenAt: number;
  /** By name: when each was last seen or refused, ms since 1970 UTC. */
  readonly replaced: Readonly<Record<string, number>>;
}

/** How long the server on record counts as present after it was seen, ms: three comparisons. */
const PRESENT_MS = 30_000;

/** How long a replaced server is remembered, ms. */
const REPLACED_MS = 600_000;

/** Is the server on record still in use? It is not if it was seen in the future, by a process with a wrong clock. @param now ms since 1970 UTC */
export function isPresent({ seenAt }: ReplacedServers, now: number): boolean {
  return Math.abs(now - seenAt) < PRESENT_MS;
}

/** @param value of the row; undefined, null: there is none */
export function isAnyReplaced(value: ColumnValue | undefined): boolean {
  return value !== undefined && value !== null && Object.keys(replacedIn(value).replaced).length > 0;
}

/** Those that are still remembered. */
export async function readReplaced(connection: Connection, name: string, now: number): Promise<ReplacedServers> {
  const [[row]] = await connection.execute<RowDataPacket[]>(SETTING.read, [name]);
  if (row === undefined) return { seenAt: 0, replaced: {} };
  const { seenAt, replaced } = replacedIn(row.value);
  return { seenAt, replaced: stillReplaced(replaced, now) };
}

/** Those that are still remembered. */
export function stillReplaced(replaced: ReplacedServers['replaced'], now: number): Record<string, number> {
  return Object.fromEntries(Object.entries(replaced).filter(([, at]) => Math.abs(now - at) < REPLACED_MS));
}

/** The row is never deleted: a pair of masters that were apart have both replaced it, and replication stops at a row that is gone. */
export async function writeReplaced(connection: Connection, name: string, servers: ReplacedServers): Promise<void> {
  await connection.execute(SETTING.write, [name, JSON.stringify(servers)]);
}

/** The row, as version 0.1.0 reads it too. */
function replacedIn(value: unknown): ReplacedServers {
  return JSON.parse(String(value)) as ReplacedServers;
}
