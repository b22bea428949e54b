import { DEFAULT_LIMIT } from '../../../contracts/http.ts';
import { readCandidates } from '../../../mysql/statements/candidates.ts';
import type { KindDatabase } from '../../../mysql/statements/kind-statements.ts';
import { type PairRow, readNeighbours, readPairs } from '../../../mysql/statements/pairs.ts';
import { readPlain } from '../../../mysql/statements/plain-contacts.ts';
import { readTopContacts } from '../../../mysql/statements/top-contacts.ts';
import type { UploadsSite } from './site.ts';

/** One statement of Recency's own. */
export interface Question {
  readonly name: string;
  /** Reads all of the user's contacts. */
  readonly isLong?: boolean;
  /** @returns what it says, as JSON can hold it, in an order that does not depend on how it was read */
  readonly ask: (database: KindDatabase) => Promise<readonly unknown[]>;
}

/** Contacts of a full index. */
const MAX = 24;

/** Followers of a page of a fan-out. */
const PAGE = 500;

/** @param database knows which contacts an index holds */
export async function questionsOf(database: KindDatabase, { user, owner, people }: UploadsSite): Promise<Question[]> {
  const top = (await readTopContacts(database, [user], MAX)).tops[0] ?? [];
  const narrowed = (count: number): Question => {
    const candidates = top.slice(0, count).map(({ id }) => id);
    const ask = async (of: KindDatabase) => byId((await readCandidates(of, user, candidates)).contacts);
    return { name: `narrowed_${count}`, ask };
  };
  const first = Math.floor((people.length - PAGE) / 2);
  const followers = people.slice(first, first + PAGE).map((person) => ({ user: person, contact: owner }));
  const contacts = people.slice(first, first + PAGE).map((contact) => ({ user, contact }));
  const plain = { user, relation: 'any', limit: DEFAULT_LIMIT, below: undefined } as const;
  return [
    narrowed(MAX / 2),
    narrowed(MAX),
    { name: 'build', isLong: true, ask: async (of) => (await readTopContacts(of, [user], MAX + 1)).tops[0] ?? [] },
    { name: 'first_page', isLong: true, ask: async (of) => (await readPlain(of, plain)).contacts },
    { name: 'fan_out_page', ask: async (of) => byPair((await readNeighbours(of, followers)).rows) },
    { name: 'pairs', ask: async (of) => byPair((await readPairs(of, contacts)).rows) },
  ];
}

const byId = <T extends { readonly id: string }>(rows: readonly T[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));

const byPair = (rows: readonly PairRow[]) =>
  rows.toSorted((a, b) => (`${a.user} ${a.contact}` < `${b.user} ${b.contact}` ? -1 : 1));
