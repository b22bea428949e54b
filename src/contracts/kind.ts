import { z } from 'zod';

/**
 * A kind of thing that users follow. Recency keeps an index for each kind and user, and everything that distinguishes one
 * kind from another is declared here. Another kind needs a declaration in KINDS, its views and its tasks, and nothing else.
 *
 * The protocol is told of no kind: its steps are bound to one (index/steps.ts). In its words, a `contact` is whatever the
 * kind follows, and the `owner` of a photo is the contact whose photo it is.
 */
export interface Kind {
  /** In routes, in RECENCY_KINDS, in keys of Redis and in answers: `contacts`. */
  readonly name: string;
  /** One of them, and so the field of a relation's tasks: `contact`. */
  readonly singular: string;
  /** The view with a row for each pair of a user and a followed thing. */
  readonly view: string;
  /** The followed thing's id, in `view`. */
  readonly idColumn: string;
  /** The view with the photos. */
  readonly photosView: string;
  /** The id of the followed thing whose photo it is, in `photosView`. */
  readonly ownerColumn: string;
  /** The same in a photo's tasks: `owner`. */
  readonly ownerField: string;
  /**
   * They are users themselves. So the relation of two concerns both sides, because what the user grants decides what the
   * contact sees; and a change of a user concerns the user's followers.
   */
  readonly areUsers: boolean;
  /** Users call them friends or family: the view has `is_friend` and `is_family`, and answers can be filtered by them. */
  readonly hasRelations: boolean;
  /** The types of the tasks that say that a relation changed. */
  readonly relationTasks: { readonly added: string; readonly removed: string; readonly changed: string };
  /** One of its photos, in the types of its tasks: `photo`. */
  readonly photoSingular: string;
  /** The types of the tasks that say that the photos of a followed thing changed. */
  readonly photoTasks: { readonly added: string; readonly removed: string; readonly visibilityChanged: string };
}

/**
 * People: users, unless the site says that their ids are those of other things (RECENCY_SEPARATE_IDS, see site/site.ts); then
 * (7, 7) is a pair like any other.
 */
export const CONTACTS = {
  name: 'contacts',
  singular: 'contact',
  view: 'recency_contacts',
  idColumn: 'contact_id',
  photosView: 'recency_photos',
  ownerColumn: 'owner_id',
  ownerField: 'owner',
  areUsers: true,
  hasRelations: true,
  relationTasks: {
    added: 'recency.contact.added',
    removed: 'recency.contact.removed',
    changed: 'recency.contact.changed',
  },
  photoSingular: 'photo',
  photoTasks: {
    added: 'recency.photo.uploaded',
    removed: 'recency.photo.deleted',
    visibilityChanged: 'recency.photo.visibility_changed',
  },
} as const satisfies Kind;

/** Groups, with the photos of their pools: a photo may be in many, and its privacy applies in each. */
export const GROUPS = {
  name: 'groups',
  singular: 'group',
  view: 'recency_groups',
  idColumn: 'group_id',
  photosView: 'recency_group_photos',
  ownerColumn: 'group_id',
  ownerField: 'group',
  areUsers: false,
  hasRelations: false,
  relationTasks: { added: 'recency.group.joined', removed: 'recency.group.left', changed: 'recency.group.changed' },
  photoSingular: 'group_photo',
  photoTasks: {
    added: 'recency.group_photo.added',
    removed: 'recency.group_photo.removed',
    visibilityChanged: 'recency.group_photo.visibility_changed',
  },
} as const satisfies Kind;

/** Every kind that exists. RECENCY_KINDS says which of them are in use. */
export const KINDS = [CONTACTS, GROUPS] as const satisfies readonly Kind[];

export type KindName = (typeof KINDS)[number]['name'];

export const KIND_NAMES: readonly KindName[] = KINDS.map(({ name }) => name);

/** Text, a number that JSON holds exactly, or null. */
export type ExtraValue = string | number | null;

/** What a site's view says of a row beyond what Recency needs: by the column's name without `extra_`. */
export type Extra = Readonly<Record<string, ExtraValue>>;

export const extraSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).meta({
  id: 'Extra',
  description:
    "The columns `extra_…` of the site's view, without the prefix; left out where the view has none. BIGINT and DECIMAL are strings, DATETIME and TIMESTAMP times in UTC.",
});
