/** From an inspected schema to what `recency init` proposes. Pure: samples that are missing are asked for (samples.ts). */
import { concerns } from '../capture/cascades.ts';
import type { InspectedReference, InspectedSchema } from '../mysql/inspect-schema.ts';
import { findFilters } from './filters.ts';
import { flagRules } from './flags.ts';
import { type Alteration, type Guess, type MappedTable, type ProposedView, TODO, UNSEEN } from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { proposeContacts } from './propose-contacts.ts';
import { proposePhotos } from './propose-photos.ts';
import type { Samples } from './samples.ts';
import { findSite, personTypes } from './site.ts';
import { tableNamed } from './tables.ts';
import { valueTables } from './value-tables.ts';

export interface Proposal {
  readonly database: string;
  /** `MariaDB 10.11.6` */
  readonly server: string;
  readonly views: readonly ProposedView[];
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
  /** What the views rely on, what only a person can decide, and what they do not read. */
  readonly guesses: readonly Guess[];
  /** What was not found, or not understood: a person must do it. */
  readonly leftOut: readonly Guess[];
}

export function propose(schema: InspectedSchema, samples: Samples): Proposal {
  const { relation, photos, unfit } = findSite(schema, samples);
  const site = { database: schema.database, server: `${schema.product} ${schema.version}` };
  if (relation === undefined) return { ...NOTHING, ...site, leftOut: [...unfit, noRelation(schema)] };
  const photo = photos && proposePhotos(schema, { relation, photos }, samples);
  const rules = relationRules(schema, relation, samples);
  const contacts = proposeContacts(schema, { relation, rules, audiences: photo?.audiences }, samples);
  const mapping = [...contacts.mapping, ...(photo?.mapping ?? [])];
  const views = [contacts.view, ...(photo ? [photo.view] : unfit.length > 0 ? [] : [NO_PHOTOS])];
  return {
    ...{ ...site, views, mapping: unique(mapping), guesses: views.flatMap(guessesIn) },
    alterations: unique([...contacts.alterations, ...(photo?.alterations ?? [])]),
    leftOut: [...unfit, ...cascades(schema, mapping)],
  };
}

function relationRules(schema: InspectedSchema, relation: SiteRelation, samples: Samples) {
  const { table, user, contact, types, people } = relation;
  const read = [user, contact, ...types.map(({ column }) => column)];
  const person = people === undefined ? [] : personTypes(people.table, samples);
  const flags = { kind: 'person', prefix: 'person.', samples, read: person.map(({ column }) => column) } as const;
  const typesOf = (prefix: string) =>
    types.map(({ rule }) => ({ ...rule, condition: rule.condition?.replace('c.', prefix) ?? '' }));
  return {
    own: flagRules(table, { kind: 'relation', prefix: 'c.', samples, read }),
    granted: [...typesOf('granted.'), ...flagRules(table, { kind: 'relation', prefix: 'granted.', samples, read })],
    person: people ? [...person.map(({ rule }) => rule), ...flagRules(people.table, flags)] : [],
    filters: [...findFilters(schema, relation, samples), ...valueTables(schema, relation, samples)],
  };
}

/** Everything that was guessed about a view, in the order of its text. */
export function guessesIn({ guesses, columns, where }: ProposedView): Guess[] {
  const rules = [...columns.flatMap(([, sql]) => (typeof sql === 'string' ? [] : sql)), ...where];
  return [...guesses, ...rules.map(({ guess }) => guess)];
}

const NOTHING = { views: [], alterations: [], mapping: [], guesses: [] };

/** What remains to be written where no table is recognized. */
const NO_PHOTOS: ProposedView = {
  name: 'recency_photos',
  columns: ['id', 'owner_id', 'audience', 'uploaded_at', 'title'].map((column) => [column, TODO] as const),
  from: TODO,
  joins: [],
  where: [],
  guesses: [
    {
      ...{ about: 'recency_photos', guess: 'the photos', is: 'open' },
      why: 'no table has a name like photos, posts or statuses, a whole number as its key, the id of its owner and a time',
      check: 'Which table has a row for each upload, with its owner, its time and who may see it?',
    },
  ],
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
      .filter((key) => mapping.some((entry) => entry.table === name && isChangedBy(entry, key)))
      .map(({ column, table: parent }) => ({
        about: `${name}.${column}`,
        guess: tables.has(parent)
          ? `its rows vanish with those of ${parent}, unseen`
          : `${parent} is not in the mapping`,
        why: `its foreign key changes rows of ${name} when one of ${parent} is deleted or changes its key, ${UNSEEN}`,
        check:
          parent === name
            ? 'Make the key RESTRICT: capture and triggers refuse it.'
            : `Does the site ever delete rows of ${parent}? Then let it delete those of ${name} first, in a statement of their own${tables.has(parent) ? '' : ', or map it'}.`,
      })),
  );
}

function isChangedBy({ when = {}, columns, ...ids }: MappedTable, key: InspectedReference): boolean {
  const counted = [...columns, ids.user, ids.contact, ids.owner, ...Object.keys(when)].filter(
    (name) => name !== undefined,
  );
  const entry = { when: new Map(Object.entries(when)), columns: columns.length === 0 ? undefined : counted };
  const changesRows = key.deletes || key.clears || key.follows;
  return changesRows && concerns(entry, { ...key, columns: new Map([[key.column, key.target]]), generated: [] });
}
