/** Blocks and mutes: tables whose rows end, for two people, what a relationship grants. */
import type { InspectedColumn, InspectedSchema, InspectedTable } from '../mysql/inspected-schema.ts';
import { literal, quoted } from '../mysql/quoted.ts';
import { domainBlocks } from './domain-blocks.ts';
import type { Alteration, MappedTable, Rule } from './guess.ts';
import { plainName, singularName, wordsOf } from './names.ts';
import { type PersonPair, pairOf } from './pairs.ts';
import type { Samples } from './samples.ts';
import type { SiteRelation } from './site.ts';
import { columnsLike, isText, isUniqueBy, tableOfId } from './tables.ts';

const FILTER_WORDS =
  /^(blocks?|blocked|blockings?|mutes?|muted|mutings?|ignores?|ignored|ignorings?|filters?|hides?|restrictions?|bans?)$/;
const NOT_FILTERS = /^(request|log|event|stat|notification|import)s?$/;

interface Filters {
  readonly rules: readonly Rule[];
  /** Tables that look like filters and are not in the view, and why. */
  readonly leftOut: ReadonlyMap<string, string>;
}

export function findFilters(schema: InspectedSchema, relation: SiteRelation, samples: Samples): Filters {
  const rules: Rule[] = [];
  const leftOut = new Map<string, string>();
  for (const table of schema.tables) {
    if (table === relation.table) continue;
    const isNamed = wordsOf(table.name).some((word) => FILTER_WORDS.test(word));
    const flags = columnsLike(table, /^(is_)?(blocked|muted|ignored)$/);
    if (wordsOf(table.name).some((word) => NOT_FILTERS.test(word)) || (!isNamed && flags.length === 0)) continue;
    if (relation.isOwnId) {
      const named = table.columns.find(({ name }) => tableOfId(schema, table, name) === relation.table);
      if (named !== undefined)
        leftOut.set(
          table.name,
          `its ${named.name} need not be the ${relation.contact} of the same user's row in ${relation.table.name}`,
        );
      continue;
    }
    const pair = pairOf(schema, table);
    if (pair === undefined) continue;
    const [user, contact] = [pair.user, pair.contact].map((column) => tableOfId(schema, table, column));
    const people = relation.people?.table;
    if (contact !== undefined && contact !== people) {
      leftOut.set(
        table.name,
        `its ${pair.contact} names rows of ${contact.name}, and the relationships are of ${people?.name}`,
      );
      continue;
    }
    const doubt =
      user === undefined || user === people
        ? undefined
        : `Is ${pair.user} an id of ${people?.name}, not of ${user.name}?`;
    rules.push(...rulesOf({ table, pair, flags: isNamed ? [] : flags, doubt }, relation, samples));
  }
  return { rules: [...rules, ...domainBlocks(schema, relation)], leftOut };
}

interface Filter {
  readonly table: InspectedTable;
  readonly pair: PersonPair;
  readonly flags: readonly InspectedColumn[];
  /** Whose ids the user's column holds, when its name says something else. */
  readonly doubt: string | undefined;
}

/** A block ends both directions; a mute only what its own user sees. */
type Effect = 'block' | 'mute';

const effectOf = (name: string): Effect => (/block|ban|filter/.test(plainName(name)) ? 'block' : 'mute');

function rulesOf(filter: Filter, relation: SiteRelation, samples: Samples): Rule[] {
  const { table, flags } = filter;
  if (flags.length > 0) {
    return flags.flatMap((flag) =>
      directions(filter, relation, {
        effect: effectOf(flag.name),
        fixed: [],
        flag,
        mapped: mappedOf(filter, {}, [flag.name]),
      }),
    );
  }
  const { subject, how } = typesOf(table, filter.pair, samples, relation);
  const subjects = subject === undefined ? [] : [{ column: subject.column, value: subject.value }];
  if (how === undefined) {
    const mapped = mappedOf(filter, Object.fromEntries(subjects.map(({ column, value }) => [column, [value]])), []);
    return directions(filter, relation, {
      effect: effectOf(table.name),
      fixed: subjects,
      mapped,
      check: subject?.check,
    });
  }
  return how.values.flatMap((value) => {
    const fixed = [...subjects, { column: how.column, value }];
    const when = Object.fromEntries(subjects.map((one) => [one.column, [one.value]]));
    return directions(filter, relation, {
      effect: effectOf(value),
      fixed,
      mapped: mappedOf(filter, when, []),
      check: [subject?.check, how.check].filter(Boolean).join(' '),
    });
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
  readonly check?: string | undefined;
}

function directions({ table, pair, doubt }: Filter, relation: SiteRelation, kind: FilterKind): Rule[] {
  const { effect, fixed, flag, mapped, check } = kind;
  const [user, contact] = [`c.${quoted(relation.user)}`, `c.${quoted(relation.contact)}`];
  const what = flag?.name ?? fixed.map(({ value }) => plainName(value)).at(-1) ?? singularName(table.name);
  const name = plainName(`${table.name}_${what === singularName(table.name) ? '' : what}`);
  const join = (alias: string, from: string, to: string): Rule => {
    const on = [
      `${alias}.${quoted(pair.user)} = ${from}`,
      `${alias}.${quoted(pair.contact)} = ${to}`,
      ...fixed.map(({ column, value }) => `${alias}.${quoted(column)} = ${literal(value)}`),
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
        check: [doubt, check, expiryOf(table)].filter(Boolean).join(' ') || undefined,
      },
      mapped,
      alterations: keyFor(table, [pair.user, pair.contact, ...fixed.map(({ column }) => column)]),
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

/** Without a unique key a join might find two rows, and a pair would be there twice. */
function keyFor(table: InspectedTable, columns: readonly string[]): Alteration[] {
  if (isUniqueBy(table, columns)) return [];
  const why = 'a pair must find one row at most, or it is in the view twice; rows that are there twice must go first';
  return [{ table: table.name, add: `UNIQUE KEY recency_pair (${columns.map(quoted).join(', ')})`, why }];
}

interface Types {
  /** Says that the row is about people: a column of types whose name is that of the id. */
  readonly subject: { readonly column: string; readonly value: string; readonly check?: string } | undefined;
  /** Says what it does to them. */
  readonly how: { readonly column: string; readonly values: readonly string[]; readonly check?: string } | undefined;
}

function typesOf(table: InspectedTable, pair: PersonPair, samples: Samples, { people }: SiteRelation): Types {
  const columns = table.columns.filter((column) => isText(column) && /(^|_)(type|kind)$/.test(plainName(column.name)));
  const stem = plainName(pair.contact).replace(/_id$/, '');
  const subject = columns.find(({ name }) => plainName(name).startsWith(`${stem}_`));
  const how = columns.find((column) => column !== subject);
  const valuesOf = ({ name, defaultValue }: InspectedColumn) => [
    ...new Set([...(samples.of(table.name, name)?.values ?? []), ...(defaultValue ? [defaultValue] : [])]),
  ];
  const person = singularName(people?.table.name ?? '');
  const isPerson = (value: string) => wordsOf(value).at(-1) === person;
  return {
    subject: subject && subjectOf(subject, valuesOf(subject), isPerson, person),
    how: how && howOf(how, valuesOf(how)),
  };
}

function subjectOf({ name }: InspectedColumn, values: string[], isPerson: (value: string) => boolean, person: string) {
  const value = values.find(isPerson);
  if (value !== undefined) return { column: name, value };
  const usual = `App\\${person.charAt(0).toUpperCase()}${person.slice(1)}`;
  return {
    column: name,
    value: usual,
    check: `Which value of ${name} says that a row is about a person? None was found in its rows; ${usual} is only usual.`,
  };
}

function howOf({ name }: InspectedColumn, values: string[]) {
  const known = values.filter((value) => FILTER_WORDS.test(plainName(value)));
  if (known.length > 0) {
    const others = values.filter((value) => !known.includes(value));
    return {
      column: name,
      values: known.sort(),
      ...(others.length > 0 ? { check: `What do ${others.join(', ')} in ${name} do? They are left out.` } : {}),
    };
  }
  return { column: name, values: ['block', 'mute'], check: `Which values has ${name}? block and mute are only usual.` };
}
