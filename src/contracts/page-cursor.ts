import { isId } from './id.ts';
import type { Key } from './key.ts';

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
