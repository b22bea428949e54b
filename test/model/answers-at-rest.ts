import { deepStrictEqual, ok } from 'node:assert/strict';
import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import { RELATIONS, type Relation } from '../../src/contracts/relation.ts';
import type { RecentContacts } from '../../src/query/recent-contacts.ts';
import type { RecentPhotos } from '../../src/query/recent-photos.ts';
import { type PlainContact, wanted } from './plain-sql.ts';

/** Each relation is queried with each of these limits, page by page to the end. */
export interface Questions {
  readonly relations: readonly Relation[];
  readonly limits: readonly number[];
}

/** One contact, as many as an index has, more, and all. */
export const EVERYTHING: Questions = { relations: RELATIONS, limits: [1, 2, 3, 10] };

/** For a check while a history runs. */
export const SOMETHING: Questions = { relations: ['any', 'friends'], limits: [1, 2] };

/**
 * Checks I8: this user's answers equal plain SQL.
 * @returns how many answers were checked
 * @throws AssertionError
 */
export async function expectAnswersExact(
  { contacts, photos }: { readonly contacts: RecentContacts; readonly photos: RecentPhotos },
  user: Id,
  truth: readonly PlainContact[],
  { relations, limits }: Questions,
): Promise<number> {
  let answers = 0;
  for (const relation of relations) {
    const expected = wanted(truth, relation);
    const unseen = expected.filter((one) => one.unseen);
    for (const limit of limits) {
      answers += await expectPages(contacts, { user, relation, limit }, expected);
      answers += await expectPages(contacts, { user, relation, limit, unseen: true }, unseen);
    }
    await expectCount(contacts, { user, relation, limit: 100, unseen: true }, unseen.length);
    answers++;
    for (const count of [1, 3]) {
      await expectPhotos(photos, { user, relation, contacts: count, photos: 2 }, expected);
      answers++;
    }
  }
  return answers;
}

interface Question {
  readonly user: Id;
  readonly relation: Relation;
  readonly limit: number;
  readonly unseen?: boolean;
}

async function expectCount(contacts: RecentContacts, asked: Question, expected: number): Promise<void> {
  const { contacts: rows, more } = await contacts.find({ ...asked, below: undefined });
  deepStrictEqual({ count: rows.length, more }, { count: expected, more: false }, `user ${asked.user}: I8: unseen`);
}

async function expectPages(contacts: RecentContacts, asked: Question, expected: readonly PlainContact[]) {
  let below: Key | undefined;
  for (let page = 0; ; page++) {
    const answer = await contacts.find({ ...asked, below });
    const what = `user ${asked.user}: I8: ${asked.unseen ? 'unseen ' : ''}${asked.relation}, limit ${asked.limit}, page ${page} (${answer.source})`;
    const from = page * asked.limit;
    const rows = expected.slice(from, from + asked.limit).map(lineOf);
    deepStrictEqual(answer.contacts.map(lineOf), rows, what);
    ok(answer.exact, `${what}: exact`);
    ok(answer.more || expected.length <= from + asked.limit, `${what}: there are more`);
    below = answer.contacts.at(-1);
    if (!answer.more || below === undefined) return page + 1;
  }
}

async function expectPhotos(
  photos: RecentPhotos,
  asked: { user: Id; relation: Relation; contacts: number; photos: number },
  expected: readonly PlainContact[],
): Promise<void> {
  const answer = await photos.find(asked);
  const shown = answer.contacts.map((contact) => ({
    ...lineOf(contact),
    photos: contact.photos.map(({ id, uploadedAt }) => ({ id, at: uploadedAt })),
  }));
  const rows = expected
    .slice(0, asked.contacts)
    .map((contact) => ({ ...lineOf(contact), photos: contact.photos.slice(0, asked.photos) }));
  deepStrictEqual(shown, rows, `user ${asked.user}: I8: photos, ${asked.relation}, ${asked.contacts} contacts`);
}

function lineOf({ id, at, isFriend, isFamily, unseen }: Omit<PlainContact, 'photos'>) {
  return { id, at, isFriend, isFamily, unseen };
}
