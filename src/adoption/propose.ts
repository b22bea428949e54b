/** From an inspected schema to what `recency init` proposes. Pure: samples that are missing are asked for (see samples.ts). */
import type { InspectedSchema } from '../mysql/inspected-schema.ts';
import { findFilters } from './filters.ts';
import { flagRules } from './flags.ts';
import type { Alteration, Guess, MappedTable, ProposedView } from './guess.ts';
import { proposeContacts } from './propose-contacts.ts';
import { proposePhotos } from './propose-photos.ts';
import type { Samples } from './samples.ts';
import { findSite } from './site.ts';
import { tableNamed } from './tables.ts';

export interface Proposal {
  readonly database: string;
  /** `MariaDB 10.11.6` */
  readonly server: string;
  readonly views: readonly ProposedView[];
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
  readonly guesses: readonly Guess[];
  /** What was not found, or not understood: a person must do it. */
  readonly leftOut: readonly Guess[];
}

export function propose(schema: InspectedSchema, samples: Samples): Proposal {
  const { relation, photos, unfit } = findSite(schema);
  const server = `${schema.product} ${schema.version}`;
  if (relation === undefined)
    return { ...NOTHING, database: schema.database, server, leftOut: [...unfit, noRelation(schema)] };
  const filters = findFilters(schema, relation, samples);
  const person = relation.people && flagRules(relation.people.table, 'person', 'person.', samples);
  const own = flagRules(relation.table, 'relation', 'c.', samples);
  const granted = flagRules(relation.table, 'relation', 'granted.', samples);
  const photo = photos && proposePhotos(schema, { relation, photos }, samples);
  const rules = { own, granted, person: person ?? [], filters: filters.rules };
  const contacts = proposeContacts(schema, { relation, rules, audiences: photo?.audiences }, samples);
  const behind = [...contacts.mapping, ...(photo?.mapping ?? [])];
  return {
    ...{ database: schema.database, server },
    views: [contacts.view, ...(photo ? [photo.view] : [])],
    alterations: unique([...contacts.alterations, ...(photo?.alterations ?? [])]),
    mapping: unique(behind),
    guesses: [...contacts.guesses, ...(photo?.guesses ?? [])],
    leftOut: [
      ...(photo ? [] : [...unfit, NO_PHOTOS]),
      ...[...filters.leftOut].map(([about, why]) => ({
        about,
        guess: 'left out, although it looks like blocks or mutes',
        why,
      })),
      ...cascades(schema, behind),
    ],
  };
}

const NOTHING = { views: [], alterations: [], mapping: [], guesses: [] };

const NO_PHOTOS: Guess = {
  about: 'recency_photos',
  guess: 'not proposed',
  why: 'no table has a name like photos, posts or statuses, a whole number as its key, the id of its owner and a time',
};

function noRelation({ tables }: InspectedSchema): Guess {
  const names = tables.map(({ name }) => name).join(', ');
  return {
    about: 'recency_contacts',
    guess: 'not proposed',
    why: `no table has a name like follows, friends or contacts and two ids of people that are whole numbers, among: ${names || 'no tables'}`,
  };
}

/** Each once, by its content. */
function unique<T extends Alteration | MappedTable>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** A foreign key's action on the tables behind the views leaves no row event and fires no trigger. */
function cascades(schema: InspectedSchema, mapping: readonly MappedTable[]): Guess[] {
  const tables = new Set(mapping.map(({ table }) => table));
  return [...tables].flatMap((name) =>
    (tableNamed(schema, name)?.references ?? [])
      .filter((reference) => reference.cascades)
      .map(({ column, table: parent }) => {
        const isMapped = tables.has(parent);
        return {
          about: `${name}.${column}`,
          guess: isMapped ? `its rows vanish with those of ${parent}, unseen` : `${parent} is not in the mapping`,
          why: `its foreign key changes rows of ${name} when one of ${parent} is deleted or changes its key, which fires no trigger and, before MySQL 9.6 and on MariaDB, leaves no row events`,
          check: `Does the site ever delete rows of ${parent}? Then let it delete those of ${name} first, in a statement of their own${isMapped ? '' : ', or map it'}.`,
        };
      }),
  );
}
