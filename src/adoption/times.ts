/** Times of a site's own as whole milliseconds since 1970 UTC: docs/adopting.md explains the traps. */
import { compareVersions } from '../contracts/server-versions.ts';
import { type InspectedColumn, type InspectedSchema, quoted } from '../mysql/inspect-schema.ts';
import type { Samples } from './samples.ts';
import { isTime, plainName } from './tables.ts';

export interface TimeRecipe {
  /** SQL: whole ms. */
  readonly expression: string;
  /** The column holds that already. */
  readonly isPlain: boolean;
  /** The expression may be that of a generated column on this server. */
  readonly mayBeGenerated: boolean;
  readonly what: string;
  readonly why: string;
  readonly found?: string;
  readonly check?: string;
}

type ServerVersion = Pick<InspectedSchema, 'product' | 'version'>;

/** From this version MySQL has AT TIME ZONE, the only way to a TIMESTAMP that a generated column may take. */
const AT_TIME_ZONE = '8.0.22';

/** @param prefix of the column, as in `c.` */
export function timeRecipe(
  { product, version }: ServerVersion,
  samples: Samples,
  table: string,
  column: InspectedColumn,
  prefix = '',
): TimeRecipe {
  const name = `${prefix}${quoted(column.name)}`;
  if (!isTime(column)) return numberRecipe(samples, table, column, name);
  const found = `the latest is ${samples.of(table, column.name)?.greatest ?? 'not there yet'}`;
  if (column.type === 'datetime') {
    return {
      expression: `TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', ${name}) DIV 1000`,
      ...{ isPlain: false, mayBeGenerated: true, what: 'a DATETIME that holds UTC', found },
      why: 'a DATETIME has no time zone of its own; UNIX_TIMESTAMP() would read it in that of the session',
      check: 'Does the site write UTC there? Local time needs CONVERT_TZ, and is wrong in the hour that occurs twice.',
    };
  }
  const what = 'a TIMESTAMP, read so that the time zone of the session does not matter';
  if (product === 'MariaDB') {
    const expression = `CAST(FLOOR(UNIX_TIMESTAMP(${name}) * 1000) AS SIGNED)`;
    return { expression, isPlain: false, mayBeGenerated: true, what, why: 'the type of the column' };
  }
  return {
    expression:
      `TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', CAST(${name} AT TIME ZONE '+00:00' AS DATETIME)) * 1000 ` +
      `+ MICROSECOND(${name}) DIV 1000`,
    ...{ isPlain: false, mayBeGenerated: compareVersions(version, AT_TIME_ZONE) >= 0, what },
    why: 'MySQL allows no UNIX_TIMESTAMP() in a generated column, and CAST … AT TIME ZONE loses the fraction',
    ...(compareVersions(version, AT_TIME_ZONE) >= 0
      ? {}
      : { check: `This needs MySQL ${AT_TIME_ZONE}: upgrade, or keep the time in a BIGINT that the site fills.` }),
  };
}

/** No second since 1970 has so many digits before the year 5138; every ms since 1973 does. */
const LEAST_MS = 100_000_000_000;

function numberRecipe(samples: Samples, table: string, column: InspectedColumn, name: string): TimeRecipe {
  const greatest = samples.of(table, column.name)?.greatest;
  const saysMs = /(_ms|_millis|_msec)$/.test(plainName(column.name));
  const isMs = greatest === undefined ? column.type === 'bigint' && saysMs : Number(greatest) >= LEAST_MS;
  const why = greatest === undefined ? 'its type and name; the table is empty' : 'the size of its values';
  const check =
    greatest === undefined
      ? { check: 'Are these seconds or milliseconds?' }
      : { found: `the greatest of the values read is ${greatest}` };
  if (isMs) return { expression: name, isPlain: true, mayBeGenerated: true, what: 'ms since 1970 UTC', why, ...check };
  const expression = `${name} * 1000`;
  return { expression, isPlain: false, mayBeGenerated: true, what: 'seconds since 1970 UTC', why, ...check };
}
