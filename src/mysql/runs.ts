import type { Id } from '../contracts/id.ts';
import type { ColumnValue, Database } from './database.ts';
import { type Fence, NOT_STALE, StaleFence } from './leases.ts';

export type RunKind = 'backfill' | 'repair';

/** A run that was stopped or killed stays `running` and can be resumed. */
export type RunState = 'running' | 'done';

/** One run of a long job: its parameters, its progress and its report. */
export interface Run {
  readonly id: Id;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly parameters: unknown;
  /** The last user of the last finished page; '0' when there is none. */
  readonly cursor: Id | '0';
  /** The report so far. */
  readonly counts: unknown;
  /** ms since 1970 UTC. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | undefined;
}

const CREATE = `
  INSERT INTO recency_runs (kind, state, parameters, cursor_id, counts, fencing_token, started_at, updated_at)
  SELECT ?, 'running', ?, 0, ?, ?, ?, ? FROM DUAL WHERE ${NOT_STALE}`;

/**
 * Begins a run.
 * @param now ms since 1970 UTC
 * @throws StaleFence, DatabaseUnavailable
 */
export async function createRun(
  database: Database,
  fence: Fence,
  run: Pick<Run, 'kind' | 'parameters' | 'counts'>,
  now: number,
): Promise<Id> {
  const texts = [run.kind, JSON.stringify(run.parameters), JSON.stringify(run.counts)];
  const parameters = [...texts, fence.token, now, now, fence.lease, fence.token];
  const { affectedRows, insertId } = await database.write(CREATE, parameters);
  if (affectedRows === 0) throw new StaleFence(fence);
  return String(insertId);
}

// Two conditions: a stale holder is refused once another process has got the lease, and also when that process has
// resumed this run under a lease of another name.
const SAVE = `
  UPDATE recency_runs AS r
  SET r.state = ?, r.cursor_id = ?, r.counts = ?, r.fencing_token = ?, r.updated_at = ?, r.finished_at = ?
  WHERE r.id = ? AND r.fencing_token <= ? AND ${NOT_STALE}`;

/**
 * Saves the progress of a run.
 * @param now ms since 1970 UTC
 * @throws StaleFence, DatabaseUnavailable
 */
export async function saveRun(
  database: Database,
  fence: Fence,
  run: Pick<Run, 'id' | 'state' | 'cursor' | 'counts'>,
  now: number,
): Promise<void> {
  const { lease, token } = fence;
  const finishedAt = run.state === 'done' ? now : null;
  const values = [run.state, run.cursor, JSON.stringify(run.counts), token, now, finishedAt];
  const { affectedRows } = await database.write(SAVE, [...values, run.id, token, lease, token]);
  if (affectedRows === 0) throw new StaleFence(fence);
}

const READ = `
  SELECT id, kind, state, parameters, cursor_id, counts, started_at, updated_at, finished_at
  FROM recency_runs`;
const FIND = `${READ} WHERE id = ?`;
const LATEST = `${READ} ORDER BY id DESC LIMIT ?`;

/** @throws DatabaseUnavailable */
export async function findRun(database: Database, id: Id): Promise<Run | undefined> {
  const [row] = await database.rows(FIND, [id]);
  return row && runOf(row);
}

/** The latest runs, the latest first. @throws DatabaseUnavailable */
export async function latestRuns(database: Database, count: number): Promise<Run[]> {
  return (await database.rows(LATEST, [String(count)])).map(runOf);
}

function runOf(row: readonly ColumnValue[]): Run {
  const [id, kind, state, parameters, cursor, counts, startedAt, updatedAt, finishedAt] = row;
  return {
    id: String(id),
    kind: kind as RunKind,
    state: state as RunState,
    parameters: JSON.parse(String(parameters)),
    cursor: String(cursor),
    counts: JSON.parse(String(counts)),
    startedAt: Number(startedAt),
    updatedAt: Number(updatedAt),
    finishedAt: finishedAt === null ? undefined : Number(finishedAt),
  };
}
