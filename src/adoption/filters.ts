/** Blocks and mutes: tables whose rows end, for two people, what a relationship grants. */
import {
  type InspectedColumn,
  type InspectedSchema,
  type InspectedTable,
  literal,
  quoted,
} from '../mysql/inspect-schema.ts';
import { domainBlocks } from './domain-blocks.ts';
import { type Alteration, type MappedTable, type Rule, TODO } from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { type PersonPair, pairOf, repeatedPairs } from './pairs.ts';
import type { Samples } from './samples.ts';
import {
  columnsLike,
  hasKeyOn,
  nounOf,
  PEOPLE,
  plainName,
  singularName,
  stemOf,
  tableOfId,
  wordsOf,
} from './tables.ts';
import { type TypeFilter, thingOf, typeColumns, typeFilter } from './types.ts';

const FILTER_WORDS =
  /^(blocks?|blocked|blockings?|mutes?|muted|mutings?|ignores?|ignored|ignorings?|filters?|hides?|restrictions?|bans?)$/;
const NOT_FILTERS = /^(request|log|event|stat|notification|import)s?$/;

export function findFilters(schema: InspectedSchema, relation: SiteRelation, samples: Samples): Rule[] {
  const domains = domainBlocks(schema, relation);
  const ofDomains = new Set(domains.map(({ guess }) => guess.about));
  const rules = schema.tables
    .filter((table) => table !== relation.table && !ofDomains.has(table.name) && isLikeFilter(table))
    .flatMap((table) => rulesOf(schema, table, relation, samples));
  return [...rules, ...domains];
}

const flagsIn = (table: InspectedTable) => columnsLike(table, /^(is_)?(blocked|muted|ignored)$/);
const isNamed = ({ name }: InspectedTable) => wordsOf(name).some((word) => FILTER_WORDS.test(word));

function isLikeFilter(table: InspectedTable): boolean {
  const isOther = wordsOf(table.name).some((word) => NOT_FILTERS.test(word));
  return !isOther && (isNamed(table) || flagsIn(table).length > 0);
}

function rulesOf(schema: InspectedSchema, table: InspectedTable, relation: SiteRelation, samples: Samples): Rule[] {
  const people = relation.people?.table;
  if (relation.isOwnId) {
    const named = table.columns.find(({ name }) => tableOfId(schema, table, name) === relation.table);
    const why = `its ${named?.name} need not be the ${relation.contact} of the same user's row in ${relation.table.name}`;
    return named === undefined ? [] : [notRead(table, why)];
  }
  const pair = pairOf(schema, table);
  if (pair === undefined) {
    const person = table.columns.find(({ name }) => PEOPLE.includes(stemOf(name) ?? ''));
    const isOfPeople = people === table || person === undefined;
    return isOfPeople ? [] : [notRead(table, `only its ${person.name} is known to name a person`)];
  }
  const [user, contact] = [pair.user, pair.contact].map((column) => tableOfId(schema, table, column));
  if (contact !== undefined && contact !== people) {
    return [
      notRead(table, `its ${pair.contact} names rows of ${contact.name}, and relationships are of ${people?.name}`),
    ];
  }
  const isOther = user !== undefined && user !== people;
  const doubt = isOther ? `Is ${pair.user} an id of ${people?.name}, not of ${user.name}?` : undefined;
  const person = people === undefined ? undefined : nounOf(schema, people);
  return joinsOf({ table, pair, flags: isNamed(table) ? [] : flagsIn(table), doubt, person }, relation, samples);
}

/** A table that was not understood. Whom it blocks must not be shown by mistake; a mute that is missed shows too much to one user. */
function notRead(table: InspectedTable, why: string): Rule {
  const isBlock = [...wordsOf(table.name), ...flagsIn(table).flatMap(({ name }) => wordsOf(name))].some((word) =>
    /^(block|ban)/.test(word),
  );
  const guess = {
    ...{ about: table.name, guess: 'looks like blocks or mutes, and is not read', why },
    check:
      'Whom does a row of it hide from whom? If it matters, join it by a unique key, add the condition, and map the table.',
  };
  return isBlock ? { condition: TODO, guess: { ...guess, is: 'open' } } : { guess: { ...guess, is: 'unused' } };
}

interface Filter {
  readonly table: InspectedTable;
  readonly pair: PersonPair;
  readonly flags: readonly InspectedColumn[];
  /** Whose ids the user's column holds, when its name says something else. */
  readonly doubt: string | undefined;
  /** What a person is called in types. */
  readonly person: string | undefined;
}

/** A block ends both directions; a mute only what its own user sees. */
type Effect = 'block' | 'mute';

const effectOf = (name: string): Effect => (/block|ban|filter/.test(plainName(name)) ? 'block' : 'mute');

function joinsOf(filter: Filter, relation: SiteRelation, samples: Samples): Rule[] {
  const { table, flags } = filter;
  if (flags.length > 0) {
    return flags.flatMap((flag) => {
      const mapped = mappedOf(filter, {}, [flag.name]);
      return directions(filter, relation, samples, { effect: effectOf(flag.name), fixed: [], flag, mapped });
    });
  }
  const types = typesOf(filter, samples);
  if (types.some(({ values }) => values === undefined)) {
    const unknown = types.filter(({ values }) => values === undefined).map(({ column }) => column);
    return [notRead(table, `no value of its ${unknown.join(', ')} is understood`)];
  }
  const subjects = types.filter(({ values }) => values?.length === 1);
  const fixed = subjects.map(({ column, values = [] }) => ({ column, value: values[0] ?? '' }));
  const when = Object.fromEntries(fixed.map(({ column, value }) => [column, [value]]));
  const how = types.find(({ values = [] }) => values.length > 1);
  if (how === undefined) {
    const effect = effectOf(
      fixed.map(({ value }) => value).find((value) => FILTER_WORDS.test(plainName(value))) ?? table.name,
    );
    return directions(filter, relation, samples, { effect, fixed, mapped: mappedOf(filter, when, []), types });
  }
  return (how.values ?? []).flatMap((value) => {
    const mapped = mappedOf(filter, when, []);
    const all = [...fixed, { column: how.column, value }];
    return directions(filter, relation, samples, { effect: effectOf(value), fixed: all, mapped, types });
  });
}

/** Which rows are about people, and what those do to them. */
function typesOf({ table, pair, person }: Filter, samples: Samples): TypeFilter[] {
  const stem = plainName(pair.contact).replace(/_id$/, '');
  return typeColumns(table).flatMap((column) => {
    const isSubject = plainName(column.name).startsWith(`${stem}_`);
    const isMeant = (value: string) => (isSubject ? thingOf(value) === person : FILTER_WORDS.test(plainName(value)));
    const what = isSubject ? 'about people' : 'blocks or mutes';
    return typeFilter(table, column, samples, { isMeant, prefix: '', what }) ?? [];
  });
}

function mappedOf(
  { table, pair }: Filter,
  when: Readonly<Record<string, readonly string[]>>,
  columns: readonly string[],
): MappedTable {
  const why = 'a change of such a row changes what both people see of each other';
  return { table: table.name, hint: 'contact', ...pair, when, columns, why };
}

interface FilterKind {
  readonly effect: Effect;
  readonly fixed: readonly { readonly column: string; readonly value: string }[];
  readonly flag?: InspectedColumn;
  readonly mapped: MappedTable;
  readonly types?: readonly TypeFilter[];
}

function directions(
  { table, pair, doubt }: Filter,
  relation: SiteRelation,
  samples: Samples,
  kind: FilterKind,
): Rule[] {
  const { effect, fixed, flag, mapped, types = [] } = kind;
  const [user, contact] = [`c.${quoted(relation.user)}`, `c.${quoted(relation.contact)}`];
  const what = flag?.name ?? fixed.map(({ value }) => plainName(value)).at(-1) ?? singularName(table.name);
  const name = plainName(`${table.name}_${what === singularName(table.name) ? '' : what}`);
  const columns = fixed.map(({ column }) => column);
  const once = repeatedPairs(table, pair, samples, columns);
  const join = (alias: string, from: string, to: string): Rule => {
    const on = [
      `${alias}.${quoted(pair.user)} = ${from}`,
      `${alias}.${quoted(pair.contact)} = ${to}`,
      ...fixed.map(({ column, value }) => `${alias}.${quoted(column)} = ${literal(value)}`),
    ];
    const found = [
      ...types.map(({ column, rule }) => `${column}: ${rule.guess.found}`),
      ...(once?.found ? [once.found] : []),
    ];
    return {
      join: `LEFT JOIN ${quoted(table.name)} AS ${alias}\n  ON ${on.join(' AND ')}`,
      condition: flag ? `COALESCE(${alias}.${quoted(flag.name)}, 0) = 0` : `${alias}.${quoted(pair.user)} IS NULL`,
      guess: {
        about: table.name,
        guess:
          from === user
            ? `whom the user has in it (${what}) is not related`
            : `who has the user in it (${what}) is not related`,
        why: `its name, and its columns ${pair.user} and ${pair.contact}${effect === 'block' ? '; a block ends both directions' : '; a mute ends only what its user sees'}`,
        ...(found.length > 0 ? { found: found.join('; ') } : {}),
        check: [doubt, once?.check, expiryOf(table)].filter(Boolean).join(' ') || undefined,
      },
      mapped,
      alterations: keyFor(table, [pair.user, pair.contact], columns),
    };
  };
  const own = join(name, user, contact);
  return effect === 'block' ? [own, join(`${name}_by_contact`, contact, user)] : [own];
}

/** A view cannot ask what time it is. */
function expiryOf(table: InspectedTable): string | undefined {
  const [column] = columnsLike(table, /^(expires?|ends?|until|expiry)(_at|_on)?$/);
  return column && `Rows count for as long as they exist: does the site delete them once ${column.name} has passed?`;
}

/** Never a unique one: rows that the site writes might violate it. */
function keyFor(table: InspectedTable, pair: readonly string[], fixed: readonly string[]): Alteration[] {
  if (hasKeyOn(table, pair, fixed)) return [];
  const add = `KEY recency_pair (${[...pair, ...fixed].map(quoted).join(', ')})`;
  return [{ table: table.name, add, why: 'each pair of recency_contacts looks for its row here' }];
}
