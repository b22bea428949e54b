import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Id } from '../../src/contracts/id.ts';
import { byKeyDescending, type Key } from '../../src/contracts/key.ts';
import { CONTACTS, type Kind } from '../../src/contracts/kind.ts';
import { photosOverKinds, recentOverKinds, type SourceKey } from '../../src/query/over-kinds.ts';
import type { Queries } from './client.ts';
import type { PlainContact } from './plain-sql.ts';
import type { Side } from './side.ts';

/** Contacts, then groups. */
type Both<T> = readonly [contacts: T, groups: T];

export interface AskedOfBoth {
  readonly user: Id;
  readonly limit: number;
}

/** Reads contacts and groups in one list, as a client does. @param now the journal's clock @throws Error when it shows what it must not */
export async function readBoth(sides: readonly Side[], now: () => number, { user, limit }: AskedOfBoth): Promise<void> {
  const kinds = sides.map(({ kind, client }) => ({ kind, recentContacts: client.queries.contacts }));
  const from = now();
  const { sources, source } = await recentOverKinds(kinds, { user, limit, after: undefined });
  const span = { from, until: now() };
  for (const { kind, client } of sides) {
    const rows = sources.filter((row) => row.kind.name === kind.name);
    client.judgeRows(user, rows, span, source);
  }
}

/**
 * Checks I8 of the list of both kinds, page by page, and of its photos.
 * @throws AssertionError
 */
export async function expectBothExact(
  queries: Both<Queries & { readonly kind: Kind }>,
  user: Id,
  truth: Both<readonly PlainContact[]>,
  limits: readonly number[],
): Promise<void> {
  const expected = inOneList(truth);
  const kinds = queries.map(({ kind, contacts, photos }) => ({ kind, recentContacts: contacts, recentPhotos: photos }));
  for (const limit of limits) {
    let after: SourceKey | undefined;
    for (let from = 0; ; from += limit) {
      const { sources, more, exact } = await recentOverKinds(kinds, { user, limit, after });
      const what = `user ${user}: I8: both kinds, limit ${limit}, from ${from}`;
      deepStrictEqual(sources.map(lineOf), expected.slice(from, from + limit).map(lineOf), what);
      ok(exact, `${what}: exact`);
      ok(more || expected.length <= from + limit, `${what}: there are more`);
      const last = sources.at(-1);
      if (!more || last === undefined) break;
      after = { kind: last.kind.name, at: last.at, id: last.id };
    }
  }
  const shown = await photosOverKinds(kinds, { user, sources: 3, photos: 2 });
  deepStrictEqual(
    shown.sources.map((row) => [...lineOf(row), row.photos.map(({ id }) => id)]),
    expected.slice(0, 3).map((row) => [...lineOf(row), row.photos.slice(0, 2).map(({ id }) => id)]),
    `user ${user}: I8: photos of both kinds`,
  );
}

type OfKind<T> = T & { readonly kind: Pick<Kind, 'name'> };

/** The later upload first; for equal times contacts before groups, and each in the order of its own list. */
function inOneList([contacts, groups]: Both<readonly PlainContact[]>): OfKind<PlainContact>[] {
  const ofContacts = contacts.map((row) => ({ ...row, kind: CONTACTS }));
  const ofGroups = groups.map((row) => ({ ...row, kind: { name: 'groups' } }));
  const isContact = ({ kind }: OfKind<Key>) => Number(kind.name === CONTACTS.name);
  return [...ofContacts, ...ofGroups].sort(
    (a, b) => b.at - a.at || isContact(b) - isContact(a) || byKeyDescending(a, b),
  );
}

function lineOf({ kind, id, at, unseen }: OfKind<Key & { readonly unseen: boolean }>) {
  return [kind.name, id, at, unseen];
}
