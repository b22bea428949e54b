import { CONTACTS, type Kind } from '../contracts/kind.ts';

/** Words about a kind, for the API's document. */

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** What the document says of a kind that an installation need not have. */
export function whereInUse({ name }: Kind): string {
  return name === CONTACTS.name ? '' : ` 404 where RECENCY_KINDS does not name ${name}.`;
}

/** The status of that problem, for an operation that has no other of its own. */
export function problemsWhereUnused({ name }: Kind): { readonly problems?: readonly number[] } {
  return name === CONTACTS.name ? {} : { problems: [404] };
}
