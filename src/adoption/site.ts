/** Which of a site's tables hold who has whom as a contact, the people, and the photos. */
import type { InspectedSchema, InspectedTable } from '../mysql/inspect-schema.ts';
import type { Guess } from './guess.ts';
import { type PersonPair, pairOf, peopleOf, type SiteRelation, unfitRelations } from './pairs.ts';
import { findPhotos, findUnfitPhotos, type Photos } from './photos.ts';
import { type Samples, valuesOf } from './samples.ts';
import { byWords, integerKey, nounOf, PEOPLE, plainName, stemOf, tableOfId } from './tables.ts';
import { type TypeFilter, thingOf, typeColumns, typeFilter } from './types.ts';

interface SiteTables {
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

export function findSite(schema: InspectedSchema, samples: Samples): SiteTables {
  const relations = byWords(schema, RELATION_WORDS);
  const between = relations.flatMap((table) => {
    const pair = pairOf(schema, table);
    return pair === undefined ? [] : [{ table, pair }];
  });
  const [found, ...more] = between;
  if (found !== undefined) {
    const others = more.map(({ table }) => table);
    const relation = relationOf(schema, samples, { ...found, others });
    const photos = findPhotos(schema, samples, relation);
    return { relation, photos, unfit: photos ? [] : findUnfitPhotos(schema, relation) };
  }
  for (const table of relations) {
    const relation = ownIdRelation(schema, table);
    const photos = relation && findPhotos(schema, samples, relation);
    if (photos !== undefined) return { relation, photos, unfit: [] };
  }
  return { relation: undefined, photos: undefined, unfit: unfitRelations(schema, relations) };
}

interface FoundPair {
  readonly table: InspectedTable;
  readonly pair: PersonPair;
  readonly others: readonly InspectedTable[];
}

function relationOf(schema: InspectedSchema, samples: Samples, { table, pair, others }: FoundPair): SiteRelation {
  const people = peopleOf(schema, table, pair);
  const key = people && integerKey(people)?.name;
  const isPerson = (value: string) => people !== undefined && thingOf(value) === nounOf(schema, people);
  const types = typeColumns(table).flatMap((column) => {
    const isSubject = plainName(column.name).startsWith(`${stemOf(pair.contact) ?? ''}_`);
    const isMeant = isSubject ? isPerson : (value: string) => RELATION_WORDS.includes(thingOf(value));
    return typeFilter(table, column, samples, { isMeant, prefix: 'c.', what: 'relationships of two people' }) ?? [];
  });
  return {
    ...{ table, ...pair, types, isOwnId: false, others },
    people: people && key ? { table: people, key } : undefined,
  };
}

/** A table with a row for each contact of each user, which photos name: (id, uid, …). */
function ownIdRelation(schema: InspectedSchema, table: InspectedTable): SiteRelation | undefined {
  const key = integerKey(table);
  const user = table.columns.find(
    ({ name }) => name !== key?.name && stemOf(name) !== undefined && isPerson(schema, table, name),
  );
  if (key === undefined || user === undefined) return undefined;
  return { table, user: user.name, contact: key.name, types: [], isOwnId: true, people: undefined, others: [] };
}

function isPerson(schema: InspectedSchema, table: InspectedTable, column: string): boolean {
  const target = tableOfId(schema, table, column);
  return target !== undefined && target !== table && /^(user|account|member|profile)$/.test(nounOf(schema, target));
}

/** Of a table with rows of several things, people among them. */
export function personTypes(table: InspectedTable, samples: Samples): TypeFilter[] {
  const isMeant = (value: string) => PEOPLE.includes(thingOf(value));
  return typeColumns(table)
    .filter((column) => valuesOf(table, column, samples).some(isMeant))
    .flatMap((column) => typeFilter(table, column, samples, { isMeant, prefix: 'person.', what: 'people' }) ?? []);
}
