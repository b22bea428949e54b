import type { Config } from '../config/config.ts';
import { separateIds } from '../contracts/kind.ts';
import { namedRelation, nameRelations } from '../contracts/relation.ts';

/**
 * Says what this process is to know of the site: whether contacts are users, and what it calls the bits of its view. Opening the
 * primary does so; what reads a mapping without it, or before it, has to.
 */
export function knowSite({
  separateIds: areSeparate,
  relations = [],
}: Pick<Config, 'separateIds' | 'relations'>): void {
  separateIds(areSeparate === 'true');
  nameRelations(relations.flatMap((text) => namedRelation(text) ?? []));
}
