import type { Key } from '../../contracts/key.ts';
import type { Nonce, Reading } from '../contact-index.ts';

/**
 * The value of a user's key `m`, as lua/apply.lua and lua/replace.lua write it: `<nonce> <epoch> <size> <day> <floor>`.
 * A nonce alone is the placeholder of a rebuild.
 */
const WHOLE = /^(?<nonce>[^ ]+) (?<epoch>[^ ]+) (?<size>\d{3}) (?<day>[0-9a-f]{4}) (?<floor>.+)$/;

/** The floor: its score in sixteen digits, followed by its id. */
const FLOOR = /^(?<at>\d{16})(?<id>[1-9]\d*)$/;

const NO_FLOOR = '-';

/** @param meta null: there is no such key, or one of another type; then the nonce is '' */
export function nonceIn(meta: string | null): Nonce {
  if (meta === null) return '';
  const end = meta.indexOf(' ');
  return end < 0 ? meta : meta.slice(0, end);
}

/** @param reply as documented in lua/read.lua */
export function readingOf(reply: unknown): Reading {
  const [meta, members, head] = reply as [string | null, number | undefined, readonly string[]];
  if (members === undefined) return { state: 'wrong_type' };
  if (meta === null) return { state: members === 0 ? 'cold' : 'torn' };
  if (!meta.includes(' ')) return { state: 'building' };
  const { nonce = '', epoch, size, day, floor = '' } = WHOLE.exec(meta)?.groups ?? {};
  if (epoch === undefined) return { state: 'torn' };
  if (Number(size) !== members) return { state: 'torn', epoch };
  const lowest = FLOOR.exec(floor)?.groups;
  if (floor !== NO_FLOOR && lowest === undefined) return { state: 'torn', epoch, unreadableFloor: true };
  const lastUsed = Number.parseInt(String(day), 16);
  return { state: 'warm', nonce, epoch, size: members, floor: lowest && keyOf(lowest), head: keysOf(head), lastUsed };
}

function keyOf({ at, id }: Record<string, string>): Key {
  return { at: Number(at), id: String(id) };
}

function keysOf(head: readonly string[]): Key[] {
  const keys: Key[] = [];
  for (let i = 0; i < head.length; i += 2) keys.push({ id: String(head[i]), at: Number(head[i + 1]) });
  return keys;
}
