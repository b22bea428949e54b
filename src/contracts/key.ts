import { type Id, isId } from './id.ts';
import { KIND_NAMES, type KindName } from './kind.ts';

/**
 * The key of a contact in an index: the total order that MySQL, Redis and this code agree on. A later upload is higher;
 * for equal uploads the greater id as binary text, because Redis orders equal scores by the bytes of the member.
 */
export interface Key {
  readonly id: Id;
  /** The last upload, ms since 1970 UTC, > 0. */
  readonly at: number;
}

/** For sorting, highest key first. Ids are ASCII digits, so comparing UTF-16 units is comparing bytes. */
export function byKeyDescending(a: Key, b: Key): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Is `a` above `b`? Undefined is the floor of a complete index, and every key is above it. */
export function isAbove(a: Key, b: Key | undefined): boolean {
  return b === undefined || byKeyDescending(a, b) < 0;
}

/** Characters of the longest cursor: a time of 16 digits, a colon and an id of 20, in base64url. */
export const LONGEST_CURSOR = 50;

const KEY = /^([1-9][0-9]{0,15}):([0-9]{1,20})$/;

/** The key after which the next page begins, as an opaque word for clients (base64url). */
export function encodeCursor({ at, id }: Key): string {
  return Buffer.from(`${at}:${id}`, 'latin1').toString('base64url');
}

/** The key of a cursor; undefined: `encodeCursor` did not make it. */
export function decodeCursor(text: string): Key | undefined {
  if (text.length > LONGEST_CURSOR) return undefined;
  const [, digits, id] = KEY.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  const key = { at: Number(digits), id };
  if (!isId(key.id) || !Number.isSafeInteger(key.at)) return undefined;
  // Decoding is lenient, so only a word that encodes back to itself is valid.
  return encodeCursor({ at: key.at, id: key.id }) === text ? { at: key.at, id: key.id } : undefined;
}

/** The cursor of a list over several kinds: which one, and the key in it. */
interface SourceCursor extends Key {
  readonly kind: KindName;
}

/** Characters of the longest: a name of 32, a dot, and a key. */
export const LONGEST_SOURCE_CURSOR = 33 + LONGEST_CURSOR;

const CURSOR = /^([a-z][a-z0-9_]{0,31})\.([A-Za-z0-9_-]+)$/;

/** The source after which the next page begins, as an opaque word for clients. */
export function encodeSourceCursor({ kind, at, id }: Key & { readonly kind: string }): string {
  return `${kind}.${encodeCursor({ at, id })}`;
}

/** The source of a cursor; undefined: `encodeSourceCursor` did not make it. */
export function decodeSourceCursor(text: string): SourceCursor | undefined {
  const [, name, word = ''] = CURSOR.exec(text) ?? [];
  const kind = KIND_NAMES.find((one) => one === name);
  const key = decodeCursor(word);
  return kind === undefined || key === undefined ? undefined : { kind, ...key };
}
