/**
 * What a process knows of the site that it serves, from its settings: which kinds there are and whose ids they have, and what the
 * bits of a relation are called. One value for the whole process, passed to what depends on it.
 */
import { CONTACTS, KINDS, type Kind, type KindName } from '../contracts/kind.ts';
import { type NamedRelation, namedRelation } from '../contracts/relation.ts';

export interface Site {
  /** In use, contacts first. */
  readonly kinds: readonly Kind[];
  /** The others. Their views need not exist; their indexes may, from a time when they were in use. */
  readonly unused: readonly Kind[];
  /** What the site calls bits of the column `bits` of `recency_contacts`. */
  readonly relations: readonly NamedRelation[];
}

/** Those in use, and the others: what tasks may speak of. */
export function everyKind({ kinds, unused }: Pick<Site, 'kinds' | 'unused'>): readonly Kind[] {
  return [...kinds, ...unused];
}

/** The settings that say it. */
interface SiteSettings {
  readonly kinds: readonly KindName[];
  /** true: contacts are no users. Their ids are those of other things, so (7, 7) is a pair like any other. */
  readonly separateIds: 'true' | 'false';
  /** As in RECENCY_RELATIONS: `bell:0`. */
  readonly relations?: readonly string[] | undefined;
}

export function siteOf({ kinds, separateIds, relations = [] }: SiteSettings): Site {
  const areUsers = separateIds !== 'true';
  const all = KINDS.map((kind): Kind => (kind.name === CONTACTS.name ? { ...kind, areUsers } : kind));
  const isUsed = ({ name }: Kind) => kinds.some((used) => used === name);
  return {
    kinds: all.filter(isUsed),
    unused: all.filter((kind) => !isUsed(kind)),
    relations: relations.flatMap((text) => namedRelation(text) ?? []),
  };
}

/** A site with contacts alone, who are users, and without names for bits. */
export const USUAL_SITE: Site = siteOf({ kinds: [CONTACTS.name], separateIds: 'false' });
