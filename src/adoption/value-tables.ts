/** Tables that keep what is known of things as names and values in rows: a ban or a privacy may be one of them. */
import type { InspectedSchema, InspectedTable } from '../mysql/inspect-schema.ts';
import { type Rule, TODO } from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { foundIn, type Samples, valuesOf } from './samples.ts';
import { columnNamed, isText, stemOf, wordsOf } from './tables.ts';

const NAMES = ['name', 'meta_key', 'key', 'option_name', 'subtype'];
const VALUES = ['value', 'meta_value', 'option_value'];

/** What may end a relationship or hide a photo. */
const SUSPECT = /^(access|ban|banned|block|blocked|deleted?|disabled|hidden|privacy|private|suspended|visibility)$/;

/** What such tables say of people is not read: a person must decide where one of the names looks like a ban. */
export function valueTables({ tables }: InspectedSchema, { people }: SiteRelation, samples: Samples): Rule[] {
  return tables
    .filter((table) => table !== people?.table && isOfValues(table))
    .map((table): Rule => {
      const names = columnNamed(table, NAMES);
      const found = names && `${names.name}: ${foundIn(table, names, samples)}`;
      const suspects = names ? valuesOf(table, names, samples).filter(isSuspect) : [];
      const guess = {
        ...{
          about: table.name,
          guess: 'keeps values in rows, and is not read',
          why: 'a column of names or ids, and one of values',
        },
        ...(found === undefined ? {} : { found }),
        check: `Does ${suspects.join(' or ') || 'a value'} there say who is banned, or who may see what?`,
      };
      return suspects.length > 0
        ? { condition: TODO, guess: { ...guess, is: 'open' } }
        : { guess: { ...guess, is: 'unused' } };
    });
}

function isOfValues(table: InspectedTable): boolean {
  const value = columnNamed(table, VALUES);
  return (
    value !== undefined &&
    isText(value) &&
    table.columns.some(({ name }) => stemOf(name) !== undefined || name === 'guid')
  );
}

const isSuspect = (name: string) => wordsOf(name).some((word) => SUSPECT.test(word));
