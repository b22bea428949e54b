import type { Key } from './key.ts';
import { KIND_NAMES, type KindName } from './kind.ts';
import { decodeCursor, encodeCursor, LONGEST_CURSOR } from './page-cursor.ts';

/** The cursor of a list over several kinds: which one, and the key in it. */
export interface SourceCursor extends Key {
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
