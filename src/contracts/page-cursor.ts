import { isId } from './id.ts';
import type { Key } from './key.ts';

/** The longest there is: a time of 16 digits, a colon, an id of 20, in base64url. */
export const LONGEST_CURSOR = 50;

const KEY = /^([1-9][0-9]{0,15}):([0-9]{1,20})$/;

/** The place in a user's order after which a page goes on, as one opaque word for clients: the key, in base64url. */
export function encodeCursor({ at, id }: Key): string {
  return Buffer.from(`${at}:${id}`, 'latin1').toString('base64url');
}

/** The key of a cursor; undefined: no cursor that `encodeCursor` made. */
export function decodeCursor(text: string): Key | undefined {
  if (text.length > LONGEST_CURSOR) return undefined;
  const [, digits, id] = KEY.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  const key = { at: Number(digits), id };
  if (!isId(key.id) || !Number.isSafeInteger(key.at)) return undefined;
  // Decoding is lenient: what does not encode to the same word was not ours.
  return encodeCursor({ at: key.at, id: key.id }) === text ? { at: key.at, id: key.id } : undefined;
}
