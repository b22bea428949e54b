/** Tables whose rows are about two people: who follows whom, who blocks whom. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspected-schema.ts';
import { PEOPLE, plainName, stemOf } from './names.ts';
import { integerKey, isInteger, isOfPeople, tableNamed, tableOfId } from './tables.ts';

/** Of a row about two people. */
export interface PersonPair {
  /** Whose row it is: who follows, who blocks. */
  readonly user: string;
  /** Who is followed, who is blocked. */
  readonly contact: string;
}

/** Names of columns for the person whom a row is about. */
const CONTACT_SIDE =
  /^(target|followed|followee|followable|following|contact|friend|buddy|to|subject|object|other|blocked|muted|ignored|hidden|filterable|blockable|subscribed|recipient|leader)(_|$)/;
/** Who follows names whose row it is, whatever the other column is called. */
const FOLLOWER = /^(follower|subscriber|fan|blocker|muter)(_|$)/;
const USER_SIDE = new RegExp(`^(${PEOPLE.join('|')}|owner|from|source|actor|blocker|muter|by|local)(_|$)`);

/** The columns of a table that name two people; undefined: it has none. @param mayBeId by its type */
export function pairOf(
  schema: InspectedSchema,
  table: InspectedTable,
  mayBeId: (column: InspectedColumn) => boolean = isInteger,
): PersonPair | undefined {
  const ids = table.columns.filter((column) => mayBeId(column) && mayNameSomebody(schema, table, column));
  const stem = ({ name }: InspectedColumn) => stemOf(name) ?? plainName(name);
  const follower = ids.find((column) => FOLLOWER.test(stem(column)));
  const contacts = ids.filter((column) => column !== follower && CONTACT_SIDE.test(stem(column)));
  const users = ids.filter((column) => column !== follower && USER_SIDE.test(stem(column)));
  const user = follower ?? users.find((column) => !contacts.includes(column));
  const contact = contacts.find((column) => column !== user) ?? (follower && users.find((column) => column !== user));
  return user === undefined || contact === undefined ? undefined : { user: user.name, contact: contact.name };
}

/** An id, not the row's own, that a foreign key does not take to something else than people. */
function mayNameSomebody(schema: InspectedSchema, table: InspectedTable, column: InspectedColumn): boolean {
  if (stemOf(column.name) === undefined) return false;
  if (integerKey(table)?.name === column.name) return false;
  const reference = table.references.find((one) => one.column === column.name);
  if (reference === undefined) return true;
  const target = tableNamed(schema, reference.table);
  return target !== undefined && (isOfPeople(target) || table.references.some(alsoOf(target.name, column.name)));
}

/** Two foreign keys of one table into the same table: it is of people, whatever it is called. */
const alsoOf = (target: string, column: string) => (reference: { table: string; column: string }) =>
  reference.table === target && reference.column !== column;

/** The table of the people that a pair is about; undefined: none is recognized. */
export function peopleOf(schema: InspectedSchema, table: InspectedTable, pair: PersonPair): InspectedTable | undefined {
  const named = [pair.contact, pair.user].map((column) => tableOfId(schema, table, column));
  const [found] = named.filter((one) => one !== undefined && one !== table && integerKey(one) !== undefined);
  if (found !== undefined) return found;
  const people = schema.tables.filter(isOfPeople);
  return people.find((one) => table.references.some(({ table: target }) => target === one.name)) ?? people[0];
}
