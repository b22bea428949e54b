/**
 * The view `recency_contacts`: one row for each pair, with the site's rules in `related`. It has no `last_upload_at`: Recency
 * derives it from the photos (mysql/last-upload.ts), and few sites have a column of it for each audience.
 */
import type { InspectedColumn, InspectedSchema } from '../mysql/inspected-schema.ts';
import { quoted } from '../mysql/quoted.ts';
import { AUDIENCE, type SiteAudiences } from './audiences.ts';
import { type Alteration, type Guess, type MappedTable, type ProposedView, type Rule, readsOf } from './guess.ts';
import type { Samples } from './samples.ts';
import type { SiteRelation } from './site.ts';
import { columnNamed, columnsLike, hasKeyOn, isInteger, isTime, isUniqueBy } from './tables.ts';
import { timeRecipe } from './times.ts';

export interface ContactParts {
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

export interface ProposedContacts {
  readonly view: ProposedView;
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
  readonly guesses: readonly Guess[];
}

export function proposeContacts(schema: InspectedSchema, parts: ContactParts, samples: Samples): ProposedContacts {
  const { relation, rules } = parts;
  const { table, user, contact, isOwnId, people } = relation;
  const granted = grantedIn(parts);
  const since = sinceOf(schema, relation, samples);
  const person =
    people && `LEFT JOIN ${quoted(people.table.name)} AS person ON person.${quoted(people.key)} = c.${quoted(contact)}`;
  const related = [
    ...(isOwnId ? [] : [`c.${quoted(user)} <> c.${quoted(contact)}`]),
    ...(people ? [`person.${quoted(people.key)} IS NOT NULL`] : []),
    ...[...rules.own, ...rules.person, ...rules.filters].map(({ condition }) => condition),
  ];
  const version = columnNamed(table, ['version', 'lock_version']);
  const view: ProposedView = {
    name: 'recency_contacts',
    columns: [
      ['user_id', `c.${quoted(user)}`],
      ['contact_id', `c.${quoted(contact)}`],
      ['related', `(${related.join('\n    AND ') || '1'})`],
      ['sees', granted.sees],
      ['is_friend', flagOf(relation, 'friend')],
      ['is_family', flagOf(relation, 'family')],
      ['version', version && isInteger(version) ? `c.${quoted(version.name)}` : '1'],
      ...(since ? ([['since', since.sql]] as const) : []),
    ],
    from: `${quoted(table.name)} AS c`,
    joins: [...(person ? [person] : []), ...rules.filters.flatMap(({ join }) => join ?? []), ...granted.joins],
    where: isOwnId ? [`c.${quoted(user)} <> 0`] : [],
  };
  return {
    view,
    alterations: [...keysFor(relation), ...rules.filters.flatMap(({ alterations = [] }) => alterations)],
    mapping: mappingOf(parts),
    guesses: [
      ...guessesOf(relation, version?.name),
      ...(since ? [since.guess] : []),
      ...[...rules.own, ...rules.person, ...rules.filters].map(({ guess }) => guess),
      ...granted.guesses,
    ],
  };
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
    ...rules.granted.map(({ condition }) => condition),
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
  const { expression, what, why, check } = timeRecipe(schema, samples, table.name, column, 'c.');
  const guess = `when the relationship began (since): ${what}`;
  return { sql: expression, guess: { about: `${table.name}.${column.name}`, guess, why, check } };
}

function keysFor({ table, user, contact, isOwnId }: SiteRelation): Alteration[] {
  const why = (text: string) => `Recency looks for ${text}, and no index serves that`;
  const key = (name: string, columns: readonly string[], text: string): Alteration[] =>
    hasKeyOn(table, columns.slice(0, isOwnId ? 1 : columns.length))
      ? []
      : [{ table: table.name, add: `KEY ${name} (${columns.map(quoted).join(', ')})`, why: why(text) }];
  if (isOwnId) return key('recency_contacts', [user, contact], 'the contacts of a user');
  const pair: Alteration = {
    table: table.name,
    add: `UNIQUE KEY recency_pair (${[user, contact].map(quoted).join(', ')})`,
    why: 'a pair may be there once only; rows that are there twice must go first',
  };
  return [
    ...(isUniqueBy(table, [user, contact])
      ? key('recency_contacts', [user, contact], 'the contacts of a user')
      : [pair]),
    ...key('recency_followers', [contact, user], 'the followers of somebody'),
  ];
}

function mappingOf({ relation, rules }: ContactParts): MappedTable[] {
  const { table, user, contact, people } = relation;
  const reads = readsOf(rules.own);
  const close = [closenessIn(relation, 'friend'), closenessIn(relation, 'family')].flatMap(
    (column) => column?.name ?? [],
  );
  // No column: each counts.
  const columns = reads.length === 0 ? [] : [...new Set([...reads, ...close])];
  const own: MappedTable = {
    ...{ table: table.name, hint: 'contact', user, contact, columns },
    why: 'a row is a pair of recency_contacts',
  };
  const person: MappedTable[] = people
    ? [
        {
          ...{
            table: people.table.name,
            hint: 'user',
            user: people.key,
            columns: readsOf([...rules.person, ...rules.filters]),
          },
          why: 'suspended, deleted or back: everybody who has this person as a contact is concerned',
        },
      ]
    : [];
  return [own, ...person, ...rules.filters.flatMap(({ mapped }) => mapped ?? [])];
}

function guessesOf({ table, user, contact, isOwnId, people }: SiteRelation, version: string | undefined): Guess[] {
  const about = table.name;
  if (isOwnId) {
    const guess = `each row is a contact of the user in ${user}, and its ${contact} is the contact's id`;
    const check =
      'Users and contacts are numbered apart: user 7 and contact 7 are two different people. Set RECENCY_SEPARATE_IDS=true for every process, and for `recency triggers`.';
    return [{ about, guess, why: `one id of a user, and photos that name a row of ${table.name}`, check }];
  }
  return [
    {
      about,
      guess: `a row says that ${user} has ${contact} as a contact`,
      why: 'its name and the names of its columns',
    },
    {
      about,
      guess: 'a private account needs no rule: a row exists only once its owner has agreed',
      why: 'no column of it says that a request waits',
      check: 'Does a row exist only once a private account has agreed? Otherwise add what says so to `related`.',
    },
    ...(people ? [{ about: people.table.name, guess: 'the people', why: `${contact} points there` }] : []),
    ...(version === undefined
      ? [{ about, guess: 'version is the constant 1', why: 'no column grows with every change' }]
      : []),
  ].filter(({ guess }) => !(guess.startsWith('a private account') && columnsLike(table, ACCEPTANCE).length > 0));
}

const ACCEPTANCE = /^(is_)?(accepted|approved|confirmed|pending|status|state)(_at)?$/;
