/** Which of a site's tables holds the photos: by its name, a key, the id of an owner and a time. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspect-schema.ts';
import { isStateColumn } from './flags.ts';
import type { Guess } from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { unfitPhotos } from './pairs.ts';
import { type Samples, valuesOf } from './samples.ts';
import {
  byWords,
  columnNamed,
  columnsLike,
  integerKey,
  isInteger,
  isTime,
  nounOf,
  plainName,
  stemOf,
  tableOfId,
} from './tables.ts';
import { type TypeFilter, thingOf, typeColumns, typeFilter } from './types.ts';

export interface Photos {
  readonly table: InspectedTable;
  readonly key: string;
  readonly owner: string;
  readonly time: InspectedColumn;
  /** Further tables that look as if they held photos. */
  readonly others: readonly InspectedTable[];
}

/** Words of the names of tables with photos, the likeliest first. */
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
/** A table with one of these words may hold them among other things. */
const VAGUE_WORDS = ['activity', 'content', 'object', 'entity'];
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
  'date_recorded',
  'time_created',
  'created_on',
  'date_created',
  'date',
  'taken_at',
  'timestamp',
];

/** What would be the photos if its ids were whole numbers. */
export function findUnfitPhotos(schema: InspectedSchema, relation: SiteRelation): Guess[] {
  return byWords(schema, [...PHOTO_WORDS, ...VAGUE_WORDS]).flatMap((table) => {
    const owner = ownerIn(schema, table, relation, () => true);
    const key = table.keys.find(({ name }) => name === 'PRIMARY')?.columns[0];
    if (owner === undefined || key === undefined || timeIn(table) === undefined || table === relation.table) return [];
    return unfitPhotos(table, [key, owner]);
  });
}

export function findPhotos(schema: InspectedSchema, samples: Samples, relation: SiteRelation): Photos | undefined {
  const photosIn = (table: InspectedTable): Photos[] => {
    const key = integerKey(table);
    const owner = ownerIn(schema, table, relation);
    const time = timeIn(table);
    if (key === undefined || owner === undefined || time === undefined || table === relation.table) return [];
    return [{ table, key: key.name, owner, time, others: [] }];
  };
  const [first, ...more] = byWords(schema, [...PHOTO_WORDS, ...VAGUE_WORDS]).flatMap(photosIn);
  if (first === undefined) return undefined;
  const [cover] = schema.tables.filter((table) => covers(schema, table, first.table, samples)).flatMap(photosIn);
  const others = [first, ...more].map(({ table }) => table).filter((table) => table !== (cover ?? first).table);
  return { ...(cover ?? first), others: cover ? others.filter((table) => table !== first.table) : others };
}

/** A table about things of several types, these photos among them, that says which of them are shown: state, visibility. */
function covers(schema: InspectedSchema, table: InspectedTable, photos: InspectedTable, samples: Samples): boolean {
  if (table === photos || !table.columns.some(isStateColumn)) return false;
  return typeColumns(table).some((column) => {
    const id = plainName(column.name).replace(/_[a-z]+$/, '_id');
    return (
      columnsLike(table, new RegExp(`^${id}$`)).length > 0 &&
      valuesOf(table, column, samples).some((value) => thingOf(value) === nounOf(schema, photos))
    );
  });
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
    return isCopy ? columnsLike(table, new RegExp(`^${nounOf(schema, contacts)}_id$`))[0]?.name : undefined;
  }
  const target = people?.table;
  const ids = table.columns.filter(({ name }) => stemOf(name) !== undefined && OWNERS.includes(stemOf(name) ?? ''));
  const places = ids
    .filter(({ name }) => tableOfId(schema, table, name) === target || isVague(schema, table, name))
    .sort((a, b) => rankOf(a, target && nounOf(schema, target)) - rankOf(b, target && nounOf(schema, target)));
  return places.find(mayBeId)?.name;
}

/** It names a person without saying in which table: `owner_id`. */
function isVague(schema: InspectedSchema, table: InspectedTable, column: string): boolean {
  return tableOfId(schema, table, column) === undefined;
}

/** First the column that is called as the people are: `profile_id` where they are `profiles`. */
function rankOf({ name }: InspectedColumn, people: string | undefined): number {
  const stem = stemOf(name) ?? '';
  return stem === people ? -1 : OWNERS.indexOf(stem);
}

/** The types of rows that are photos. */
export function photoTypes(table: InspectedTable, samples: Samples): TypeFilter[] {
  const isMeant = (value: string) => PHOTO_WORDS.includes(thingOf(value));
  return typeColumns(table).flatMap(
    (column) => typeFilter(table, column, samples, { isMeant, prefix: '', what: 'photos', isOptional: true }) ?? [],
  );
}
