/** Blocks of all people of one server: a table of a user and a domain, beside people who have one. */
import { type InspectedSchema, type InspectedTable, quoted } from '../mysql/inspect-schema.ts';
import type { Rule } from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { columnNamed, hasKeyOn, isInteger, isUniqueBy, plainName, stemOf, tableOfId, wordsOf } from './tables.ts';

const DOMAIN = ['domain', 'host', 'instance_domain'];

export function domainBlocks(schema: InspectedSchema, relation: SiteRelation): Rule[] {
  const people = relation.people?.table;
  const theirs = people && columnNamed(people, DOMAIN);
  if (people === undefined || theirs === undefined) return [];
  return schema.tables.flatMap((table) => {
    const isNamed = wordsOf(table.name).some((word) => /^(blocks?|mutes?)$/.test(word));
    const domain = columnNamed(table, DOMAIN);
    const user = userIn(schema, table, people);
    if (!isNamed || domain === undefined || user === undefined || table === people) return [];
    return [ruleOf(table, { user, domain: domain.name, theirs: theirs.name }, relation)];
  });
}

function userIn(schema: InspectedSchema, table: InspectedTable, people: InspectedTable): string | undefined {
  return table.columns.find(
    (column) =>
      isInteger(column) && stemOf(column.name) !== undefined && tableOfId(schema, table, column.name) === people,
  )?.name;
}

interface BlockColumns {
  readonly user: string;
  readonly domain: string;
  /** Of the people. */
  readonly theirs: string;
}

function ruleOf(table: InspectedTable, { user, domain, theirs }: BlockColumns, relation: SiteRelation): Rule {
  const alias = plainName(table.name);
  const why = 'each pair of recency_contacts looks for its row here';
  const add = `KEY recency_domain (${quoted(user)}, ${quoted(domain)})`;
  const isOnce = isUniqueBy(table, [user, domain]);
  return {
    join: `LEFT JOIN ${quoted(table.name)} AS ${alias}\n  ON ${alias}.${quoted(user)} = c.${quoted(relation.user)} AND ${alias}.${quoted(domain)} = person.${quoted(theirs)}`,
    condition: `${alias}.${quoted(user)} IS NULL`,
    reads: theirs,
    guess: {
      about: table.name,
      guess: `people of a ${domain} that the user has in it are not related`,
      why: `its name, its columns ${user} and ${domain}, and ${relation.people?.table.name}.${theirs}`,
      check: isOnce
        ? undefined
        : `Is a ${domain} there once for each ${user}? Otherwise a pair is in the view several times.`,
    },
    mapped: {
      ...{ table: table.name, hint: 'user', user, columns: [] },
      why: "the user's own setting: the index of the user is built again",
    },
    alterations: hasKeyOn(table, [user, domain]) ? [] : [{ table: table.name, add, why }],
  };
}
