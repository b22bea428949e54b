export const RELATIONS = ['any', 'friends', 'family', 'friends_or_family'] as const;

/** Which of the contacts: all, only those whom the user calls friend or family, or those of a {@link NamedRelation}. */
export type Relation = string;

/** What a site calls a bit of the column `bits` of `recency_contacts`. */
export interface NamedRelation {
  /** In `relation=` and in the field `relation` of a row. */
  readonly name: string;
  /** From 0, the lowest. */
  readonly bit: number;
}

/** What a site may call a relation. */
export const RELATION_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/** What `relation` says already. */
export const TAKEN_NAMES: readonly string[] = [...RELATIONS, 'friend'];

/** Relations that a site may name. */
export const MOST_NAMED = 8;

/** The greatest bit that may have a name. */
export const GREATEST_BIT = 30;

/** @param text `bell:0` @returns undefined: it names no bit */
export function namedRelation(text: string): NamedRelation | undefined {
  const [, name = '', digits = ''] = /^([^:]*):(\d{1,2})$/.exec(text) ?? [];
  const bit = Number(digits);
  const isName = RELATION_NAME.test(name) && !TAKEN_NAMES.includes(name);
  return isName && digits !== '' && bit <= GREATEST_BIT ? { name, bit } : undefined;
}

/** Everything that `relation=` may say. @param named what the site calls bits */
export function relationNames(named: readonly NamedRelation[]): readonly string[] {
  return [...RELATIONS, ...named.map(({ name }) => name)];
}

/** How a user has marked a contact. */
export interface Marks {
  readonly isFriend: boolean;
  readonly isFamily: boolean;
  /** The names whose bits are set, in the order of their declaration; left out: none was asked for. */
  readonly named?: readonly string[];
}

/** The names of the bits that are set. @param bits a whole number, at most {@link GREATEST_BIT} + 1 bits of it */
export function namesIn(named: readonly NamedRelation[], bits: number): string[] {
  return named.flatMap(({ name, bit }) => ((bits >> bit) & 1 ? [name] : []));
}

/** Does the relation include a contact who is marked so? @throws RangeError when the marks do not say */
export function isWanted(relation: Relation, contact: Marks): boolean {
  switch (relation) {
    case 'any':
      return true;
    case 'friends':
      return contact.isFriend;
    case 'family':
      return contact.isFamily;
    case 'friends_or_family':
      return contact.isFriend || contact.isFamily;
    default:
      if (contact.named === undefined) throw new RangeError(`nothing says whether a contact is a ${relation}`);
      return contact.named.includes(relation);
  }
}
