/** Tables whose rows are about two people: who follows whom, who blocks whom. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspect-schema.ts';
import type { PairColumns } from '../mysql/sample-rows.ts';
import type { Guess } from './guess.ts';
import type { Samples } from './samples.ts';
import {
  integerKey,
  isInteger,
  isOfPeople,
  isUniqueBy,
  PEOPLE,
  plainName,
  singular,
  stemOf,
  tableNamed,
  tableOfId,
} from './tables.ts';
import type { TypeFilter } from './types.ts';

/** Of a row about two people. */
export interface PersonPair {
  /** Whose row it is: who follows, who blocks. */
  readonly user: string;
  /** Who is followed, who is blocked. */
  readonly contact: string;
}

/** The relationships that the view is of. */
export interface SiteRelation extends PersonPair {
  readonly table: InspectedTable;
  /** Which of its rows are relationships of people; empty: all of them. */
  readonly types: readonly TypeFilter[];
  /** The row itself is the contact of its user, and photos name the row: users and contacts are numbered apart. */
  readonly isOwnId: boolean;
  /** Where the people are whom a row is about; of `isOwnId`, undefined: the row itself says it all. */
  readonly people: { readonly table: InspectedTable; readonly key: string } | undefined;
  /** Further tables that look like relationships, and that the views do not read. */
  readonly others: readonly InspectedTable[];
}

/** Names of columns for the person whom a row is about. */
const CONTACT_SIDE =
  /^(target|followed|followee|followable|following|contact|friend|buddy|to|two|receiver|subject|object|other|blocked|muted|ignored|hidden|filterable|blockable|subscribed|recipient|leader)(_|$)/;
/** Who follows names whose row it is, whatever the other column is called. */
const FOLLOWER = /^(follower|subscriber|fan|blocker|muter)(_|$)/;
const USER_SIDE = new RegExp(
  `^(${PEOPLE.join('|')}|owner|from|one|initiator|requester|sender|source|actor|blocker|muter|by|local)(_|$)`,
);

/** What a column says whom it names; undefined: it is no id. `relation_from` → `from` */
function sideOf({ name }: InspectedColumn): string | undefined {
  return stemOf(name) ?? /^(?:relation_)?(from|to)$/.exec(plainName(name))?.[1];
}

/** The columns of a table that name two people; undefined: it has none. @param mayBeId by its type */
export function pairOf(
  schema: InspectedSchema,
  table: InspectedTable,
  mayBeId: (column: InspectedColumn) => boolean = isInteger,
): PersonPair | undefined {
  const ids = table.columns.filter((column) => mayBeId(column) && mayNameSomebody(schema, table, column));
  const side = (column: InspectedColumn) => sideOf(column) ?? '';
  const follower = ids.find((column) => FOLLOWER.test(side(column)));
  const contacts = ids.filter((column) => column !== follower && CONTACT_SIDE.test(side(column)));
  const users = ids.filter((column) => column !== follower && USER_SIDE.test(side(column)));
  const user = follower ?? users.find((column) => !contacts.includes(column));
  const contact = contacts.find((column) => column !== user) ?? (follower && users.find((column) => column !== user));
  return user === undefined || contact === undefined ? undefined : { user: user.name, contact: contact.name };
}

/** An id, not the row's own, that neither a foreign key nor its name takes to something else than people. */
function mayNameSomebody(schema: InspectedSchema, table: InspectedTable, column: InspectedColumn): boolean {
  const side = sideOf(column);
  if (side === undefined || integerKey(table)?.name === column.name) return false;
  const reference = table.references.find((one) => one.column === column.name);
  const target = reference && tableNamed(schema, reference.table);
  if (target === undefined || isOfPeople(schema, target)) return true;
  // Two foreign keys into one table: it is of people, whatever it is called. And so may one be whose column is called as people are.
  const isShared = table.references.some((one) => one.table === target.name && one.column !== column.name);
  return isShared || PEOPLE.includes(singular(side.split('_').at(-1) ?? ''));
}

/** The table of the people that a pair is about; undefined: none is recognized. */
export function peopleOf(schema: InspectedSchema, table: InspectedTable, pair: PersonPair): InspectedTable | undefined {
  const named = [pair.contact, pair.user].map((column) => tableOfId(schema, table, column));
  const [found] = named.filter((one) => one !== undefined && one !== table && integerKey(one) !== undefined);
  if (found !== undefined) return found;
  const people = schema.tables.filter((one) => isOfPeople(schema, one));
  return people.find((one) => table.references.some(({ table: target }) => target === one.name)) ?? people[0];
}

/** What is known of whether a pair is there once. @param fixed columns with a constant @returns undefined: a key says so */
export function repeatedPairs(
  table: InspectedTable,
  pair: PersonPair,
  samples: Samples,
  fixed: readonly string[] = [],
  type?: PairColumns['type'],
): Guess | undefined {
  if (isUniqueBy(table, [pair.user, pair.contact, ...fixed])) return undefined;
  const { user, contact } = pair;
  const sample = samples.pairs({ table: table.name, user, contact, ...(type && { type }) });
  return {
    ...{ about: table.name, guess: 'each pair is there once', why: 'no unique key says so' },
    found: `${sample?.repeated ?? 0} of ${sample?.pairs ?? 0} pairs have several rows${fixed.length > 0 && type === undefined ? ', of whatever type' : ''}`,
    check: `Can two rows of ${table.name} have the same ${user} and ${contact}? Each is a row of the view, and \`recency doctor\` counts them.`,
  };
}

/** Tables that would do but for ids that are no whole numbers, which Recency cannot index: UUIDs, names. */

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
