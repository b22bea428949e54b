/**
 * The view `recency_contacts`: one row for each pair, with the site's rules in `related`. It has no `last_upload_at`: Recency
 * derives it from the photos (mysql/statements/last-upload.ts), and few sites have a column of it for each audience.
 */
import { type InspectedColumn, type InspectedSchema, quoted } from '../mysql/inspect-schema.ts';
import { AUDIENCE, type SiteAudiences } from './audiences.ts';
import {
  type Alteration,
  conditionsOf,
  type Guess,
  type MappedTable,
  type ProposedView,
  type Rule,
  readsOf,
} from './guess.ts';
import { directionsOf, keysFor } from './pair-rows.ts';
import type { SiteRelation } from './pairs.ts';
import type { Samples } from './samples.ts';
import { columnNamed, columnsLike, isInteger, isTime } from './tables.ts';
import { timeRecipe } from './times.ts';

interface ContactParts {
  readonly relation: SiteRelation;
  readonly rules: {
    readonly own: readonly Rule[];
    /** The same rules of the row of the contact about the user, `granted`. */
    readonly granted: readonly Rule[];
    readonly person: readonly Rule[];
    readonly filters: readonly Rule[];
  };
  /** Undefined: there are no photos. */
  readonly audiences: SiteAudiences | undefined;
}

interface ProposedContacts {
  readonly view: ProposedView;
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
}

export function proposeContacts(schema: InspectedSchema, parts: ContactParts, samples: Samples): ProposedContacts {
  const { relation, rules } = parts;
  const { table, user, contact, isOwnId, people } = relation;
  const granted = grantedIn(parts);
  const since = sinceOf(schema, relation, samples);
  const person =
    people && `LEFT JOIN ${quoted(people.table.name)} AS person ON person.${quoted(people.key)} = c.${quoted(contact)}`;
  const version = columnNamed(table, ['version', 'lock_version']);
  const view: ProposedView = {
    name: 'recency_contacts',
    columns: [
      ['user_id', `c.${quoted(user)}`],
      ['contact_id', `c.${quoted(contact)}`],
      ['related', [...ownRules(relation), ...rules.own, ...rules.person, ...rules.filters]],
      ['sees', granted.sees],
      ['is_friend', flagOf(relation, 'friend')],
      ['is_family', flagOf(relation, 'family')],
      ['version', version && isInteger(version) ? `c.${quoted(version.name)}` : '1'],
      ...(since ? ([['since', since.sql]] as const) : []),
    ],
    from: `${quoted(table.name)} AS c`,
    joins: [...(person ? [person] : []), ...rules.filters.flatMap(({ join }) => join ?? []), ...granted.joins],
    where: isOwnId
      ? [{ condition: `c.${quoted(user)} <> 0`, guess: OF_NOBODY(relation) }]
      : relation.types.map(({ rule }) => rule),
    guesses: [
      ...guessesOf(relation, version?.name),
      ...(isOwnId ? [] : directionsOf(relation, samples)),
      ...(since ? [since.guess] : []),
      ...granted.guesses,
    ],
  };
  return {
    view,
    alterations: [...keysFor(relation), ...rules.filters.flatMap(({ alterations = [] }) => alterations)],
    mapping: mappingOf(parts),
  };
}

const OF_NOBODY = ({ table, user }: SiteRelation): Guess => ({
  about: `${table.name}.${user}`,
  guess: '0 is nobody: rows that everybody shares',
  why: 'ids begin at 1',
});

/** Of a pair of people: two people, both of whom exist. */
function ownRules({ table, user, contact, isOwnId, people }: SiteRelation): Rule[] {
  const self: Guess = {
    about: table.name,
    guess: 'a row about oneself is none',
    why: 'a user is never their own contact',
  };
  const known = people && {
    condition: `person.${quoted(people.key)} IS NOT NULL`,
    guess: { about: people.table.name, guess: 'the people', why: `${contact} points there` },
  };
  return [
    ...(isOwnId ? [] : [{ condition: `c.${quoted(user)} <> c.${quoted(contact)}`, guess: self }]),
    ...(known ? [known] : []),
  ];
}

/** The column that says what the user calls the contact. */
function closenessIn({ table }: SiteRelation, name: 'friend' | 'family'): InspectedColumn | undefined {
  return columnsLike(table, new RegExp(`^(is_)?${name}$`)).find(isInteger);
}

function flagOf(relation: SiteRelation, name: 'friend' | 'family'): string {
  const column = closenessIn(relation, name);
  return column === undefined ? '0' : `COALESCE(c.${quoted(column.name)}, 0) <> 0`;
}

/** What the contact lets the user see. Friends and family are whom the contact calls so, or who have each other. */
function grantedIn({ relation, rules, audiences }: ContactParts): { sees: string; joins: string[]; guesses: Guess[] } {
  const used = audiences?.used ?? new Set();
  const plain = (1 << AUDIENCE.everybody) | (used.has('followers') ? 1 << AUDIENCE.followers : 0);
  const bit = (name: 'friends' | 'family' | 'friendsOrFamily', when: string) =>
    used.has(name) ? [`IF(${when}, ${1 << AUDIENCE[name]}, 0)`] : [];
  const { table, user, contact } = relation;
  const flag = (name: 'friend' | 'family') => {
    const column = closenessIn(relation, name);
    return column ? `granted.${quoted(column.name)}` : `granted.${quoted(user)} IS NOT NULL`;
  };
  const bits = [
    ...bit('friends', flag('friend')),
    ...bit('family', flag('family')),
    ...bit('friendsOrFamily', `${flag('friend')} OR ${flag('family')}`),
  ];
  if (bits.length === 0) return { sees: String(plain), joins: [], guesses: [] };
  const on = [
    `granted.${quoted(user)} = c.${quoted(contact)}`,
    `granted.${quoted(contact)} = c.${quoted(user)}`,
    ...conditionsOf(rules.granted),
  ].join('\n    AND ');
  const guess = 'what friends and family may see is granted by the row of the contact about the user';
  const check = 'Does the row of the owner say who may see their photos, or that of the person who looks?';
  return {
    sees: [String(plain), ...bits].join(' | '),
    joins: [`LEFT JOIN ${quoted(table.name)} AS granted\n  ON ${on}`],
    guesses: [{ about: table.name, guess, why: 'photos have audiences of friends or family', check }],
  };
}

function sinceOf(
  schema: InspectedSchema,
  { table }: SiteRelation,
  samples: Samples,
): { sql: string; guess: Guess } | undefined {
  const column = columnNamed(table, ['since', 'followed_at', 'accepted_at', 'created_at', 'created']);
  if (column === undefined || !(isTime(column) || isInteger(column))) return undefined;
  const { expression, what, why, found, check } = timeRecipe(schema, samples, table.name, column, 'c.');
  const guess = `when the relationship began (since): ${what}`;
  return {
    sql: expression,
    guess: { about: `${table.name}.${column.name}`, guess, why, ...(found && { found }), check },
  };
}

function mappingOf({ relation, rules }: ContactParts): MappedTable[] {
  const { table, user, contact, types, people } = relation;
  const reads = readsOf(rules.own);
  const close = [closenessIn(relation, 'friend'), closenessIn(relation, 'family')].flatMap(
    (column) => column?.name ?? [],
  );
  const when = Object.fromEntries(types.flatMap(({ column, values }) => (values ? [[column, values]] : [])));
  // No column: each counts.
  const columns = reads.length === 0 ? [] : [...new Set([...reads, ...close])];
  const own: MappedTable = {
    ...{ table: table.name, hint: 'contact', user, contact, when, columns },
    why: 'a row is a pair of recency_contacts',
  };
  const ofPeople = readsOf([...rules.person, ...rules.filters]);
  const person: MappedTable[] = people
    ? [
        {
          ...{ table: people.table.name, hint: 'user', user: people.key, columns: ofPeople },
          why: 'suspended, deleted or back: everybody who has this person as a contact is concerned',
        },
      ]
    : [];
  return [own, ...person, ...rules.filters.flatMap(({ mapped }) => mapped ?? [])];
}

function guessesOf({ table, user, contact, isOwnId }: SiteRelation, version: string | undefined): Guess[] {
  const about = table.name;
  if (isOwnId) {
    const guess = `each row is a contact of the user in ${user}, and its ${contact} is the contact's id`;
    const check =
      'Users and contacts are numbered apart: user 7 and contact 7 are two different people. Set RECENCY_SEPARATE_IDS=true for every process, and for `recency triggers`.';
    return [{ about, guess, why: `one id of a user, and photos that name a row of ${table.name}`, check }];
  }
  const agreed: Guess = {
    about,
    guess: 'a private account needs no rule: a row exists only once its owner has agreed',
    why: 'no column of it says that a request waits',
    check: 'Does a row exist only once a private account has agreed? Otherwise add what says so to `related`.',
  };
  const constant: Guess = { about, guess: 'version is the constant 1', why: 'no column grows with every change' };
  return [...(columnsLike(table, ACCEPTANCE).length > 0 ? [] : [agreed]), ...(version === undefined ? [constant] : [])];
}

const ACCEPTANCE = /^(is_)?(accepted|approved|confirmed|pending|status|state)(_at)?$/;
