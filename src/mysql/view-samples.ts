/** What the rows of a kind's views are like: whether pairs can be there twice, times, audiences, and how long a question takes. */
import type { Id } from '../contracts/id.ts';
import { StatementTooSlow } from './database.ts';
import { isExplainRefused } from './faults.ts';
import { readAllContacts } from './statements/all-contacts.ts';
import type { KindDatabase } from './statements/kind-statements.ts';
import type { Pair } from './statements/pairs.ts';

/** Rows read, at most. */
const ROWS = 10_000;

/** How long all pairs may be counted, ms. */
const COUNTING_MS = 3_000;

const BY_KEY = /^(system|const|eq_ref)$/;

/**
 * The parts of the view, by their aliases, of which a pair may find several rows: no unique key finds them. By EXPLAIN of one
 * pair, whose rows a server looks up by unique keys wherever there are such, whatever the sizes of the tables are.
 * @returns undefined: this account may not EXPLAIN the view @throws DatabaseUnavailable
 */
export async function findUnguarded({ server, statements }: KindDatabase, pair: Pair): Promise<string[] | undefined> {
  const { view, idColumn } = statements.kind;
  const statement = `EXPLAIN FORMAT=TRADITIONAL SELECT c.related, c.sees FROM ${view} AS c WHERE c.user_id = ${BigInt(pair.user)} AND c.${idColumn} = ${BigInt(pair.contact)}`;
  const rows = await server.rows(statement, []).catch((error: unknown) => {
    if (isExplainRefused(error)) return undefined;
    throw error;
  });
  return rows?.flatMap((row) => {
    const type = row[row.length > 10 ? 4 : 3];
    return type === null || BY_KEY.test(String(type)) ? [] : [String(row[2])];
  });
}

/** How many pairs have several rows, at most 100; undefined: counting takes too long. @throws DatabaseUnavailable */
export async function countRepeated({ server, statements }: KindDatabase): Promise<number | undefined> {
  const { view, idColumn } = statements.kind;
  const repeated = `SELECT 1 FROM ${view} AS c GROUP BY c.user_id, c.${idColumn} HAVING COUNT(*) > 1 LIMIT 100`;
  try {
    const [row] = await server.rows(`SELECT COUNT(*) FROM (${repeated}) AS repeated`, [], { withinMs: COUNTING_MS });
    return Number(row?.[0]);
  } catch (error) {
    if (error instanceof StatementTooSlow) return undefined;
    throw error;
  }
}

export interface TimeSample {
  readonly rows: number;
  readonly withoutTime: number;
  /** Later than the server's clock. */
  readonly future: number;
  /** Ms since 1970 UTC, if the view is right; undefined: no row has a time. */
  readonly least: number | undefined;
  readonly greatest: number | undefined;
  /** By the server's clock, ms since 1970 UTC. */
  readonly now: number;
}

const NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000";

/** Clocks of a site's servers may differ by so much, ms. */
const SKEW_MS = 60_000;

/** @throws DatabaseUnavailable */
export async function sampleTimes({ server, statements }: KindDatabase): Promise<TimeSample> {
  const some = `SELECT p.uploaded_at AS at FROM ${statements.kind.photosView} AS p LIMIT ${ROWS}`;
  const [row = []] = await server.rows(
    `SELECT COUNT(*), COUNT(*) - COUNT(at), COALESCE(SUM(at > ${NOW} + ${SKEW_MS}), 0), MIN(at), MAX(at), ${NOW} FROM (${some}) AS some`,
    [],
  );
  const [rows, withoutTime, future] = row.slice(0, 3).map(Number);
  const [least, greatest] = row.slice(3, 5).map((at) => (at === null ? undefined : Number(at)));
  return { rows: rows ?? 0, withoutTime: withoutTime ?? 0, future: future ?? 0, least, greatest, now: Number(row[5]) };
}

export interface AudienceSample {
  /** By audience as text (NULL: `null`): photos. */
  readonly photos: ReadonlyMap<string, number>;
  /** The bits that occur in `sees` of the pairs that were read. */
  readonly seen: bigint;
}

/** @throws DatabaseUnavailable */
export async function sampleAudiences({ server, statements }: KindDatabase): Promise<AudienceSample> {
  const { view, photosView } = statements.kind;
  const photos = await server.rows(
    `SELECT audience, COUNT(*) FROM (SELECT p.audience FROM ${photosView} AS p LIMIT ${ROWS}) AS some GROUP BY audience ORDER BY audience`,
    [],
  );
  const [[seen = 0] = []] = await server.rows(
    `SELECT BIT_OR(sees) FROM (SELECT c.sees FROM ${view} AS c LIMIT ${ROWS}) AS some`,
    [],
  );
  return {
    photos: new Map(photos.map(([audience, count]) => [String(audience), Number(count)])),
    seen: BigInt(seen ?? 0),
  };
}

/** What MySQL does for the plain query about a user: `c: ref, 20000 rows; person: eq_ref, 1 row`. @throws DatabaseUnavailable */
export async function explainContacts({ server, statements }: KindDatabase, user: Id): Promise<string> {
  const { view, idColumn } = statements.kind;
  const statement = `EXPLAIN FORMAT=TRADITIONAL SELECT c.${idColumn}, c.related, c.sees FROM ${view} AS c WHERE c.user_id = ${BigInt(user)}`;
  const rows = await server.rows(statement, []);
  return rows
    .map((row) => {
      const offset = row.length > 10 ? 1 : 0;
      return `${row[2]}: ${row[3 + offset]} by ${row[5 + offset] ?? 'no index'}, about ${row[8 + offset]} rows`;
    })
    .join('; ');
}

/** Ms that the plain query about a user takes; undefined: longer than the limit. @throws DatabaseUnavailable */
export async function timeContacts(database: KindDatabase, user: Id, limitMs: number): Promise<number | undefined> {
  const begun = performance.now();
  try {
    await readAllContacts(database, user, limitMs);
    return performance.now() - begun;
  } catch (error) {
    if (error instanceof StatementTooSlow) return undefined;
    throw error;
  }
}
