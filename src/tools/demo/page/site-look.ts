import type { Id } from '../../../contracts/id.ts';
import type { Certificate } from './certificate.ts';

/** Somebody whose page can be looked at. */
export interface PagePerson {
  readonly id: Id;
  /** At the start. */
  readonly contacts: number;
}

export interface PagePhoto {
  readonly id: Id;
  readonly uploaded_at: string;
}

/** The newest photos of a person's most recently active contacts, as the API answers. */
export interface RecentPhotosBody {
  readonly contacts: readonly {
    readonly id: Id;
    readonly last_upload_at: string;
    readonly photos: readonly PagePhoto[];
  }[];
  readonly answer: Certificate;
}

/** A photo that was hidden on the page. */
export interface HiddenPhoto {
  readonly id: Id;
  readonly owner: Id;
}

/** What the page shows of a person. */
export interface SiteLook {
  readonly person: PagePerson;
  /** Undefined: the API did not answer. */
  readonly recent: RecentPhotosBody | undefined;
  /** People whom this one may add. */
  readonly strangers: readonly Id[];
  readonly hidden: readonly HiddenPhoto[];
}

/** The part of an index that the page looks at, as the API shows it. */
export interface InspectedBody {
  readonly floor: { readonly at: string; readonly id: Id } | null;
  readonly members: readonly { readonly id: Id; readonly last_upload_at: string }[];
}

/**
 * Whether an index has a contact as MySQL has it.
 * @param at the contact's last upload, ms since 1970 UTC; undefined: not a contact, or nothing that the user may see
 */
export function indexAgrees({ floor, members }: InspectedBody, contact: Id, at: number | undefined): boolean {
  const member = members.find(({ id }) => id === contact);
  if (at === undefined) return member === undefined;
  if (member !== undefined) return Date.parse(member.last_upload_at) === at;
  return floor !== null && Date.parse(floor.at) >= at;
}

/**
 * Whether an answer shows a contact as MySQL has it.
 * @param limit rows that were asked for: a contact may be further down
 * @param at as in {@link indexAgrees}
 */
export function answerAgrees(
  rows: readonly { readonly id: Id; readonly last_upload_at: string }[],
  limit: number,
  contact: Id,
  at: number | undefined,
): boolean {
  const row = rows.find(({ id }) => id === contact);
  if (at === undefined) return row === undefined;
  if (row !== undefined) return Date.parse(row.last_upload_at) === at;
  return rows.length === limit && Date.parse(rows.at(-1)?.last_upload_at ?? '') >= at;
}
