/** Tables that would do but for ids that are no whole numbers, which Recency cannot index: UUIDs, names. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspected-schema.ts';
import type { Guess } from './guess.ts';
import { pairOf } from './pairs.ts';
import { isInteger } from './tables.ts';

const FIX =
  'Recency knows people and photos by whole numbers (BIGINT UNSIGNED) only. Give their tables a column of that type, unique, ' +
  'keep it in the tables that refer to them as well, and define the views over those columns by hand.';

/** Relationships between two people with such ids. */
export function unfitRelations(schema: InspectedSchema, tables: readonly InspectedTable[]): Guess[] {
  return tables.flatMap((table) => {
    const pair = pairOf(schema, table, () => true);
    return pair === undefined ? [] : refusal(table, [pair.user, pair.contact]);
  });
}

/** Photos, by these columns: their own id and that of their owner. */
export function unfitPhotos(table: InspectedTable, columns: readonly string[]): Guess[] {
  return refusal(table, columns);
}

function refusal(table: InspectedTable, ids: readonly string[]): Guess[] {
  const unfit = ids
    .map((id) => table.columns.find(({ name }) => name === id))
    .filter((column): column is InspectedColumn => column !== undefined && !isInteger(column));
  if (unfit.length === 0) return [];
  const list = unfit.map(({ name, fullType }) => `${name} is ${fullType}`).join(', ');
  return [{ about: table.name, guess: 'refused', why: `${list}, which is no whole number`, check: FIX }];
}
