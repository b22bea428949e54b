export const RELATIONS = ['any', 'friends', 'family', 'friends_or_family'] as const;

/** Which of the contacts: all, or only those whom the user calls friend or family. */
export type Relation = (typeof RELATIONS)[number];

/** Does the relation include a contact whom the user calls this? */
export function isWanted(relation: Relation, contact: { isFriend: boolean; isFamily: boolean }): boolean {
  switch (relation) {
    case 'any':
      return true;
    case 'friends':
      return contact.isFriend;
    case 'family':
      return contact.isFamily;
    case 'friends_or_family':
      return contact.isFriend || contact.isFamily;
  }
}
