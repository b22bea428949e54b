/** Which of a site's tables hold who has whom as a contact, the people, and the photos. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspected-schema.ts';
import type { Guess } from './guess.ts';
import { plainName, singular, singularName, stemOf, wordsOf } from './names.ts';
import { type PersonPair, pairOf, peopleOf } from './pairs.ts';
import { columnNamed, columnsLike, integerKey, isInteger, isTime, tableOfId } from './tables.ts';
import { unfitPhotos, unfitRelations } from './unfit.ts';

export interface SiteRelation extends PersonPair {
  readonly table: InspectedTable;
  /** The row itself is the contact of its user, and photos name the row: users and contacts are numbered apart. */
  readonly isOwnId: boolean;
  /** Where the people are whom a row is about; of `isOwnId`, undefined: the row itself says it all. */
  readonly people: { readonly table: InspectedTable; readonly key: string } | undefined;
}

export interface Photos {
  readonly table: InspectedTable;
  readonly key: string;
  readonly owner: string;
  readonly time: InspectedColumn;
}

export interface Site {
  readonly relation: SiteRelation | undefined;
  readonly photos: Photos | undefined;
  /** Why tables that look right were refused. */
  readonly unfit: readonly Guess[];
}

/** Words of the names of tables with relations, the likeliest first. */
const RELATION_WORDS = [
  'follow',
  'follower',
  'following',
  'friendship',
  'friend',
  'contact',
  'relationship',
  'connection',
  'subscription',
];
/** … unless one of these is among them: they are about something else. */
const OTHER_WORDS =
  /^(request|invite|invitation|tag|hashtag|block|mute|filter|suggestion|recommendation|import|log|list|pin|note|event|group|stat|count|message|notification|backfill|topic|form)$/;
const PHOTO_WORDS = [
  'photo',
  'picture',
  'image',
  'upload',
  'post',
  'status',
  'entry',
  'note',
  'item',
  'publication',
  'media',
  'attachment',
];
const OWNERS = ['owner', 'author', 'uploader', 'user', 'account', 'profile', 'member', 'creator', 'poster'];
const TIMES = [
  'uploaded_at',
  'published_at',
  'posted_at',
  'created_at',
  'uploaded',
  'published',
  'posted',
  'created',
  'date_upload',
  'created_on',
  'date_created',
  'date',
  'taken_at',
  'timestamp',
];

export function findSite(schema: InspectedSchema): Site {
  const relations = byWords(schema.tables, RELATION_WORDS);
  for (const table of relations) {
    const pair = pairOf(schema, table);
    if (pair === undefined) continue;
    const people = peopleOf(schema, table, pair);
    const key = people && integerKey(people)?.name;
    const relation = { table, ...pair, isOwnId: false, people: people && key ? { table: people, key } : undefined };
    const photos = findPhotos(schema, relation);
    return { relation, photos, unfit: photos ? [] : findUnfitPhotos(schema, relation) };
  }
  for (const table of relations) {
    const relation = ownIdRelation(schema, table);
    const photos = relation && findPhotos(schema, relation);
    if (photos !== undefined) return { relation, photos, unfit: [] };
  }
  return { relation: undefined, photos: undefined, unfit: unfitRelations(schema, relations) };
}

/** Tables whose names have one of these words, the likeliest first: by the word, then the shortest name, then the size. */
function byWords(tables: readonly InspectedTable[], wanted: readonly string[]): InspectedTable[] {
  const rank = ({ name }: InspectedTable) => {
    const words = wordsOf(name).map(singular);
    if (words.some((word) => OTHER_WORDS.test(word))) return Number.POSITIVE_INFINITY;
    const place = wanted.findIndex((word) => words.includes(word));
    return place === -1 ? Number.POSITIVE_INFINITY : place + 100 * (words.length - 1);
  };
  return tables
    .filter((table) => Number.isFinite(rank(table)))
    .sort((a, b) => rank(a) - rank(b) || b.rows - a.rows || (a.name < b.name ? -1 : 1));
}

/** A table with a row for each contact of each user, which photos name: (id, uid, …). */
function ownIdRelation(schema: InspectedSchema, table: InspectedTable): SiteRelation | undefined {
  const key = integerKey(table);
  const user = table.columns.find(
    ({ name }) => name !== key?.name && stemOf(name) !== undefined && isPerson(schema, table, name),
  );
  if (key === undefined || user === undefined) return undefined;
  return { table, user: user.name, contact: key.name, isOwnId: true, people: undefined };
}

function isPerson(schema: InspectedSchema, table: InspectedTable, column: string): boolean {
  const target = tableOfId(schema, table, column);
  return target !== undefined && target !== table && /^(user|account|member|profile)$/.test(singularName(target.name));
}

/** What would be the photos if its ids were whole numbers. */
function findUnfitPhotos(schema: InspectedSchema, relation: SiteRelation): Guess[] {
  return byWords(schema.tables, PHOTO_WORDS).flatMap((table) => {
    const owner = ownerIn(schema, table, relation, () => true);
    const key = table.keys.find(({ name }) => name === 'PRIMARY')?.columns[0];
    if (owner === undefined || key === undefined || timeIn(table) === undefined || table === relation.table) return [];
    return unfitPhotos(table, [key, owner]);
  });
}

function findPhotos(schema: InspectedSchema, relation: SiteRelation): Photos | undefined {
  for (const table of byWords(schema.tables, PHOTO_WORDS)) {
    const key = integerKey(table);
    const owner = ownerIn(schema, table, relation);
    const time = timeIn(table);
    if (key === undefined || owner === undefined || time === undefined || table === relation.table) continue;
    return { table, key: key.name, owner, time };
  }
  return undefined;
}

function timeIn(table: InspectedTable): InspectedColumn | undefined {
  const column = columnNamed(table, [...TIMES.map((name) => `${name}_ms`), ...TIMES]);
  return column && (isTime(column) || isInteger(column)) ? column : undefined;
}

/** The column with whose photo it is: among people, the likeliest by its name; of contacts of their own, that contact. */
function ownerIn(
  schema: InspectedSchema,
  table: InspectedTable,
  relation: SiteRelation,
  mayBeId: (column: InspectedColumn) => boolean = isInteger,
): string | undefined {
  const { table: contacts, user, people, isOwnId } = relation;
  if (isOwnId) {
    const isCopy = columnsLike(table, new RegExp(`^${plainName(user)}$`)).length > 0;
    return isCopy ? columnsLike(table, new RegExp(`^${singularName(contacts.name)}_id$`))[0]?.name : undefined;
  }
  const target = people?.table;
  const ids = table.columns.filter(({ name }) => stemOf(name) !== undefined && OWNERS.includes(stemOf(name) ?? ''));
  const places = ids
    .filter(({ name }) => tableOfId(schema, table, name) === target || isVague(schema, table, name))
    .sort((a, b) => rankOf(a, target) - rankOf(b, target));
  return places.find(mayBeId)?.name;
}

/** It names a person without saying in which table: `owner_id`. */
function isVague(schema: InspectedSchema, table: InspectedTable, column: string): boolean {
  return tableOfId(schema, table, column) === undefined;
}

/** First the column that is called as the people are: `profile_id` where they are `profiles`. */
function rankOf({ name }: InspectedColumn, people: InspectedTable | undefined): number {
  const stem = stemOf(name) ?? '';
  return people !== undefined && stem === singularName(people.name) ? -1 : OWNERS.indexOf(stem);
}
