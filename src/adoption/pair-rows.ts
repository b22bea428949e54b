/** The rows of pairs: are they there once, in one direction or both, and which index finds them? */
import { quoted } from '../mysql/inspect-schema.ts';
import type { Alteration, Guess } from './guess.ts';
import { repeatedPairs, type SiteRelation } from './pairs.ts';
import type { Samples } from './samples.ts';
import { hasKeyOn } from './tables.ts';

/** Is each pair there once, and does one row stand for both people? */
export function directionsOf({ table, user, contact, types, others }: SiteRelation, samples: Samples): Guess[] {
  const [typed] = types.filter(({ values }) => values !== undefined);
  const type = typed && { column: typed.column, values: typed.values ?? [] };
  const fixed = types.map(({ column }) => column);
  const once = repeatedPairs(table, { user, contact }, samples, fixed, type);
  const { of = 0, found = 0 } =
    samples.pairs({ table: table.name, user, contact, ...(type && { type }) })?.mirrored ?? {};
  const isOfTwo = /friend|connection/i.test(`${table.name} ${contact}`);
  const both: Guess = {
    ...{ about: table.name, guess: `one row is one direction: ${user} has ${contact} as a contact, not the reverse` },
    why: 'its name and the names of its columns',
    found: `of ${of} rows, ${found} have a row for the other direction`,
    check: `Does one row stand for both people? Then the view lacks the pairs of ${contact} with ${user}.`,
  };
  const isOneRow = isOfTwo && of > 0 && found === 0;
  return [
    ...(once ? [once] : []),
    ...(isOneRow ? [{ ...both, is: 'open' as const }] : [both]),
    ...others.map(
      ({ name, rows }): Guess => ({
        ...{
          about: name,
          guess: 'not read, although it looks like relationships',
          why: `the view is of ${table.name}`,
        },
        ...{ found: `about ${rows} rows`, check: 'Are these relationships as well?', is: 'unused' },
      }),
    ),
  ];
}

/** Never a unique one: rows that the site writes might violate it. */
export function keysFor({ table, user, contact, types, isOwnId }: SiteRelation): Alteration[] {
  const fixed = types.map(({ column }) => column);
  const key = (name: string, columns: readonly string[], text: string): Alteration[] =>
    hasKeyOn(table, columns, fixed)
      ? []
      : [
          {
            table: table.name,
            add: `KEY ${name} (${[columns[0] ?? '', ...fixed, ...columns.slice(1)].map(quoted).join(', ')})`,
            why: `Recency looks for ${text}, and no index serves that`,
          },
        ];
  if (isOwnId) return hasKeyOn(table, [user]) ? [] : key('recency_contacts', [user, contact], 'the contacts of a user');
  return [
    ...key('recency_contacts', [user, contact], 'the contacts of a user'),
    ...key('recency_followers', [contact, user], 'the followers of somebody'),
  ];
}
