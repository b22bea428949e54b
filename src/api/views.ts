import { isoTime, type Reason } from '../contracts/http.ts';
import type { Key } from '../contracts/key.ts';
import type { Kind } from '../contracts/kind.ts';
import type { Marks } from '../contracts/relation.ts';
import type { ShownList } from '../contracts/seen.ts';
import type { ShownContact } from '../mysql/statements/contacts.ts';
import type { Photo } from '../mysql/statements/photos.ts';

/** Parts of answers in JSON. Their schemas are in contracts/http.ts. */

/** @param at ms since 1970 UTC; ≤ 0: no time */
export function timeView(at: number): string | null {
  return at > 0 ? isoTime(at) : null;
}

export function floorView(floor: Key | undefined) {
  return floor === undefined ? null : { at: isoTime(floor.at), id: floor.id };
}

export function relationView({ isFriend, isFamily, named = [] }: Marks): string[] {
  const relations: string[] = [];
  if (isFriend) relations.push('friend');
  if (isFamily) relations.push('family');
  return named.length > 0 ? [...relations, ...named] : relations;
}

/** A row of an answer about this kind. */
export function contactView(contact: ShownContact, { hasRelations }: Pick<Kind, 'hasRelations'>) {
  const { id, at, unseen, extra } = contact;
  const relation = hasRelations ? { relation: relationView(contact) } : undefined;
  return { id, last_upload_at: isoTime(at), ...relation, unseen, ...(extra && { extra }) };
}

export function photoView({ id, uploadedAt, title, extra }: Photo) {
  return { id, uploaded_at: isoTime(uploadedAt), title, ...(extra && { extra }) };
}

/** What rows show of the list of a kind's sources. @param rows highest key first */
export function shownSources(kind: string, [first]: readonly Key[]): ShownList {
  return { kind, source: undefined, key: first && { at: first.at, id: first.id } };
}

/** Where an answer came from, and whether it is exact. */
export interface Certainty {
  readonly source: 'index' | 'database';
  readonly exact: boolean;
  readonly complete: boolean;
  readonly floor: Key | undefined;
  readonly reason: Reason | undefined;
  readonly replica: boolean;
  /** When reading began, ms since 1970 UTC. */
  readonly asOf: number;
  /** The age of the oldest change that may be missing, ms; undefined: not known. */
  readonly lagMs: number | undefined;
}

export function answerView({ source, exact, complete, floor, reason, replica, asOf, lagMs }: Certainty) {
  const why = { ...(reason === undefined ? {} : { reason }), ...(replica ? { replica } : {}) };
  const times = { as_of: isoTime(asOf), lag_ms: lagMs === undefined ? null : Math.ceil(lagMs) };
  return { source, exact, complete, floor: floorView(floor), ...why, ...times };
}

/** The Server-Timing header: time spent waiting for Redis and MySQL, ms. */
export function serverTiming({ index, db }: { readonly index: number; readonly db: number }) {
  return { 'Server-Timing': `index;dur=${index.toFixed(3)}, db;dur=${db.toFixed(3)}` };
}
