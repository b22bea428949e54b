/**
 * A position in the binary log: which transactions a server must have applied.
 * - `mysql`: a GTID set, `UUID:1-5:7`, with tags from MySQL 8.3 on, `UUID:tag:1-5`
 * - `mariadb`: a GTID list, `domain-server-sequence`
 */
export interface GtidSet {
  readonly product: 'mysql' | 'mariadb';
  /** One or several, separated by commas, without blanks. */
  readonly text: string;
}

/** Characters of the longest set that is accepted. */
export const LONGEST_GTID_SET = 4_096;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TAG = /^[a-z_][a-z0-9_]{0,31}$/i;
const INTERVAL = /^([1-9][0-9]{0,18})(?:-([1-9][0-9]{0,18}))?$/;
const GREATEST_TRANSACTION = 2n ** 63n - 2n;

const IN_DOMAIN = /^([0-9]{1,10})-([0-9]{1,10})-([0-9]{1,20})$/;
const GREATEST_DOMAIN = 2n ** 32n - 1n;
const GREATEST_SEQUENCE = 2n ** 64n - 1n;

/** Parses what `gtid_executed` of MySQL or `gtid_binlog_pos` of MariaDB looks like. @returns undefined: it is neither */
export function parseGtidSet(given: string): GtidSet | undefined {
  if (given.length > LONGEST_GTID_SET) return undefined;
  const parts = given.split(',').map((part) => part.trim());
  if (parts.every(isOfMysql)) return { product: 'mysql', text: parts.join(',') };
  const positions = parts.map((part) => IN_DOMAIN.exec(part)).filter((found) => found !== null && isInRange(found));
  if (positions.length < parts.length) return undefined;
  return { product: 'mariadb', text: latestOf(positions as RegExpExecArray[]) };
}

function isOfMysql(part: string): boolean {
  const [uuid = '', ...rest] = part.split(':');
  if (!UUID.test(uuid) || rest.length === 0 || TAG.test(rest.at(-1) ?? '')) return false;
  return rest.every((piece, i) => isInterval(piece) || (TAG.test(piece) && !TAG.test(rest[i + 1] ?? '')));
}

function isInterval(text: string): boolean {
  const [, first, last = first] = INTERVAL.exec(text) ?? [];
  return first !== undefined && BigInt(first) <= BigInt(last ?? 0) && BigInt(last ?? 0) <= GREATEST_TRANSACTION;
}

function isInRange([, domain = '', server = '', sequence = '']: RegExpExecArray): boolean {
  return (
    BigInt(domain) <= GREATEST_DOMAIN && BigInt(server) <= GREATEST_DOMAIN && BigInt(sequence) <= GREATEST_SEQUENCE
  );
}

/** One position for each domain, the latest: of two in one domain, a server would wait for either. */
function latestOf(positions: readonly RegExpExecArray[]): string {
  const latest = new Map<bigint, RegExpExecArray>();
  for (const position of positions) {
    const [, domain = '', , sequence = ''] = position;
    const known = latest.get(BigInt(domain));
    if (known === undefined || BigInt(known[3] ?? 0) < BigInt(sequence)) latest.set(BigInt(domain), position);
  }
  return [...latest.values()].map(([text]) => text).join(',');
}
