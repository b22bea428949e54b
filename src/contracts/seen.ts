/**
 * What a user has seen. A cursor is the highest key seen, of one source or of all of a kind; it only ever grows. Reading
 * marks nothing: the client says what it has shown, with the `through` of the answer.
 */
import { GREATEST_ID, type Id, isId } from './id.ts';
import type { Key } from './key.ts';

/** Stands for every photo of a time, because no photo has a greater id. */
export const EVERY_PHOTO: Id = GREATEST_ID;

/** The greatest id in the order of keys, which compares ids as text: those with 20 digits begin with 1. */
export const GREATEST_IN_KEY: Id = '9'.repeat(19);

/** The part of an answer that shows one list: the sources of a kind, or the photos of one source. */
export interface ShownList {
  /** The name of the kind. */
  readonly kind: string;
  /** The photos of this source; undefined: the sources. */
  readonly source: Id | undefined;
  /** The highest key shown: a source's, or of a photo its upload time and id. Undefined: nothing was shown. */
  readonly key: Key | undefined;
}

/** A row to be raised in `recency_seen`. */
export interface SeenCursor extends Key {
  readonly kind: string;
  /** '0': all of the kind. */
  readonly source: Id | '0';
}

const VERSION = '1';

/** Characters of the longest token accepted: enough for a dozen lists. */
export const LONGEST_THROUGH = 1_024;

const LIST = /^([a-z][a-z0-9_]{0,31})(?:\/([0-9]{1,20}))?=(?:([1-9][0-9]{0,15}):([0-9]{1,20}))?$/;

/** What an answer shows, as an opaque word for clients (base64url). */
export function encodeThrough(lists: readonly ShownList[]): string {
  const texts = lists.map(({ kind, source, key }) => {
    const list = source === undefined ? kind : `${kind}/${source}`;
    return `${list}=${key === undefined ? '' : `${key.at}:${key.id}`}`;
  });
  return Buffer.from([VERSION, ...texts].join(','), 'latin1').toString('base64url');
}

/** What the answer with this token shows; undefined: `encodeThrough` did not make it. */
export function decodeThrough(text: string): readonly ShownList[] | undefined {
  if (text.length > LONGEST_THROUGH) return undefined;
  const [version, ...texts] = Buffer.from(text, 'base64url').toString('latin1').split(',');
  const lists = texts.flatMap((one) => listOf(one) ?? []);
  if (version !== VERSION || lists.length === 0 || lists.length !== texts.length) return undefined;
  // Decoding is lenient, so only a word that encodes back to itself is valid.
  return encodeThrough(lists) === text ? lists : undefined;
}

function listOf(text: string): ShownList | undefined {
  const [, kind, source, digits, id] = LIST.exec(text) ?? [];
  if (kind === undefined || (source !== undefined && !isId(source))) return undefined;
  if (digits === undefined) return { kind, source, key: undefined };
  const at = Number(digits);
  return isId(id) && Number.isSafeInteger(at) ? { kind, source, key: { at, id } } : undefined;
}

/** Everything of a kind up to this time. @param at ms since 1970 UTC, > 0 */
export function allUntil(kind: string, at: number): SeenCursor {
  return { kind, source: '0', at, id: GREATEST_IN_KEY };
}

/** Every photo of a source up to this time. @param at ms since 1970 UTC, > 0 */
export function sourceUntil(kind: string, source: Id, at: number): SeenCursor {
  return { kind, source, at, id: EVERY_PHOTO };
}

/**
 * What of one source a list shows. A list of sources shows it up to the list's highest key: all photos of that key's time
 * too, if the source would not stand above that key with one of them.
 * @returns undefined: nothing
 */
export function cursorOfSource({ kind, source: of, key }: ShownList, source: Id): SeenCursor | undefined {
  if (key === undefined) return undefined;
  if (of !== undefined) return { kind, source, ...key };
  const at = source <= key.id ? key.at : key.at - 1;
  return at > 0 ? sourceUntil(kind, source, at) : undefined;
}
