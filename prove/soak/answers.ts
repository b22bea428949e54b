import { isDeepStrictEqual } from 'node:util';
import type { Id } from '../../src/contracts/id.ts';
import type { Kind } from '../../src/contracts/kind.ts';
import { RELATIONS, type Relation } from '../../src/contracts/relation.ts';
import { type PlainContact, wanted } from '../../test/model/plain-sql.ts';
import type { World } from './world.ts';

/** By user, highest key first. */
export type Truth = ReadonlyMap<Id, readonly PlainContact[]>;

/** One, the default, and more than an index keeps. */
const LIMITS = [1, 10, 25];
const SOURCES = 3;
const PHOTOS = 5;

interface Row {
  readonly id: Id;
  readonly last_upload_at: string;
  readonly photos?: readonly { readonly id: Id }[];
}

/** I8: compares the players' answers of this kind over HTTP with plain SQL. @returns descriptions of what was wrong */
export async function findWrongAnswers(world: World, kind: Kind, truth: Truth): Promise<string[]> {
  const wrong: string[] = [];
  for (const [i, user] of world.cast.players.entries()) {
    const relation = (kind.hasRelations ? RELATIONS[i % RELATIONS.length] : undefined) ?? 'any';
    const rows = truth.get(user) ?? [];
    wrong.push(...(await findWrongFor(world, { kind, user, relation: 'any' }, rows)));
    if (relation !== 'any')
      wrong.push(...(await findWrongFor(world, { kind, user, relation }, wanted(rows, relation))));
  }
  return wrong;
}

interface AskedOver {
  readonly kind: Kind;
  readonly user: Id;
  readonly relation: Relation;
}

async function findWrongFor(world: World, { kind, user, relation }: AskedOver, rows: readonly PlainContact[]) {
  const path = `/v1/users/${user}/${kind.name}/recent`;
  const filter = kind.hasRelations ? `&relation=${relation}` : '';
  const questions = LIMITS.map((limit) => ({
    path: `${path}?limit=${limit}${filter}`,
    expected: rows.slice(0, limit).map(({ id, at }): Row => ({ id, last_upload_at: new Date(at).toISOString() })),
  }));
  const photos = {
    path: `${path}/photos?${kind.name}=${SOURCES}&photos=${PHOTOS}${filter}`,
    expected: rows.slice(0, SOURCES).map(
      (contact): Row => ({
        id: contact.id,
        last_upload_at: new Date(contact.at).toISOString(),
        photos: contact.photos.slice(0, PHOTOS).map(({ id }) => ({ id })),
      }),
    ),
  };
  const wrong: string[] = [];
  for (const question of [...questions, photos]) {
    const answered = await ask(world, kind, question.path);
    world.counts.answers++;
    if (isDeepStrictEqual(answered, question.expected)) continue;
    wrong.push(
      `user ${user}: I8: ${question.path}: ${JSON.stringify(answered)}, not ${JSON.stringify(question.expected)}`,
    );
  }
  return wrong;
}

/** @throws Error when there is no answer */
async function ask({ api }: World, { name }: Kind, path: string): Promise<Row[]> {
  const { status, body } = await api.get(path);
  if (status !== 200) throw new Error(`the API answered with ${status} at rest: ${body.slice(0, 500)}`);
  const rows = (JSON.parse(body) as { readonly [list: string]: Row[] })[name] ?? [];
  return rows.map(({ id, last_upload_at, photos }) => ({
    id,
    last_upload_at,
    ...(photos === undefined ? {} : { photos: photos.map((photo) => ({ id: photo.id })) }),
  }));
}
