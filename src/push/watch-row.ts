/** A row of `recency_watches` as a watch. */
import type { KindName } from '../contracts/kind.ts';
import type { Relation } from '../contracts/relation.ts';
import type { ChannelName, Watch } from '../contracts/watch.ts';
import type { ColumnValue } from '../mysql/database.ts';

/** As {@link watchOf} reads them, of the table `w`. */
export const WATCH_COLUMNS =
  'w.id, w.user_id, w.channel, w.url, w.secrets, w.kinds, w.relation, w.muted, w.interval_ms, w.ended, w.told, w.outgoing, w.notified_at, w.due_at, w.version, w.tested';

/** @throws SyntaxError when a column is no JSON */
export function watchOf(row: readonly ColumnValue[]): Watch {
  const [
    id,
    user,
    channel,
    url,
    secrets,
    kinds,
    relation,
    muted,
    interval,
    ended,
    told,
    outgoing,
    notified,
    due,
    version,
    tested,
  ] = row;
  return {
    id: String(id),
    user: String(user),
    channel: channel as ChannelName,
    ...(url === null || url === undefined ? {} : { url: String(url) }),
    secrets: JSON.parse(String(secrets)),
    kinds: String(kinds).split(',') as KindName[],
    relation: relation as Relation,
    muted: JSON.parse(String(muted)),
    intervalMs: Number(interval),
    ended: ended === null ? undefined : String(ended),
    told: JSON.parse(String(told)),
    outgoing: outgoing === null ? undefined : JSON.parse(String(outgoing)),
    notifiedAt: notified === null ? undefined : Number(notified),
    dueAt: due === null ? undefined : Number(due),
    version: String(version),
    tested: tested === null ? undefined : JSON.parse(String(tested)),
  };
}

/**
 * The same, of which what it was told and what is on its way can be compared with a head.
 * @throws SyntaxError when the row cannot be understood
 */
export function understoodWatchOf(row: readonly ColumnValue[]): Watch {
  const watch = watchOf(row);
  const wrong = !isTold(watch.told) ? 'what it was told' : !isOutgoing(watch.outgoing) ? 'its notification' : undefined;
  if (wrong === undefined) return watch;
  throw new SyntaxError(`of watch ${watch.id}, ${wrong} cannot be understood`);
}

function isTold(told: unknown): boolean {
  const isHead = (head: unknown) =>
    isObject(head) && areKeys(head.entries) && (head.floor === undefined || isKey(head.floor));
  return isObject(told) && Object.values(told).every(isHead);
}

function isOutgoing(outgoing: unknown): boolean {
  if (outgoing === undefined) return true;
  if (!isObject(outgoing) || !areKeys(outgoing.sources)) return false;
  const { id, attempts, since } = outgoing;
  return typeof id === 'string' && typeof attempts === 'number' && typeof since === 'number';
}

const areKeys = (keys: unknown) => Array.isArray(keys) && keys.every(isKey);

const isKey = (key: unknown) => isObject(key) && typeof key.id === 'string' && typeof key.at === 'number';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
