/** Whether the ids of users and of contacts are ids of the same things. */
import { CONTACTS } from '../contracts/kind.ts';

/** SQL: the followed thing is not the user. Where it is no user, equal ids mean nothing. */
export const NOT_SELF = 'c.user_id <> c.contact_id';

const TEXTS = new Map<string, string>();

/** The statement as it is to be sent: it compares a user with a contact only if a contact is a user. */
export function inIdSpaces(statement: string): string {
  if (CONTACTS.areUsers) return statement;
  const text = TEXTS.get(statement) ?? statement.replaceAll(NOT_SELF, 'TRUE');
  TEXTS.set(statement, text);
  return text;
}
