/**
 * The view `recency_photos`: existing photos, with a time in ms and an audience, and the index that photos are read by and the
 * last upload of a contact is derived by (mysql/statements/last-upload.ts).
 *
 * Which rows are photos is said by the generated column of the audience, which is NULL for the others. Said by the view's
 * WHERE alone, a look-up for the newest photo would read every newer row that is none: there is no bound to how many answers
 * somebody writes after their last photo.
 */
import { type InspectedSchema, type InspectedTable, quoted } from '../mysql/inspect-schema.ts';
import { findAudiences, ownCopies, type SiteAudiences } from './audiences.ts';
import { flagRules } from './flags.ts';
import {
  type Alteration,
  conditionsOf,
  type Guess,
  type MappedTable,
  type ProposedView,
  type Rule,
  readsOf,
} from './guess.ts';
import type { SiteRelation } from './pairs.ts';
import { type Photos, photoTypes } from './photos.ts';
import type { Samples } from './samples.ts';
import { columnNamed, hasKeyOn, isText } from './tables.ts';
import { type TimeRecipe, timeRecipe } from './times.ts';

interface ProposedPhotos {
  readonly view: ProposedView;
  readonly audiences: SiteAudiences;
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
}

const MS = 'recency_uploaded_ms';
const NUMBER = 'recency_audience';

export function proposePhotos(
  schema: InspectedSchema,
  { relation, photos }: { readonly relation: SiteRelation; readonly photos: Photos },
  samples: Samples,
): ProposedPhotos {
  const { table, key, owner, time } = photos;
  const recipe = timeRecipe(schema, samples, table.name, time);
  const audiences = relation.isOwnId ? ownCopies(table) : findAudiences(table, samples);
  const types = relation.isOwnId ? [] : photoTypes(table, samples);
  const read = [time.name, ...types.map(({ column }) => column), ...(audiences.column ? [audiences.column] : [])];
  const rules = [...types.map(({ rule }) => rule), ...flagRules(table, { kind: 'photo', prefix: '', samples, read })];
  const audience = audienceColumn(audiences, conditionsOf(rules));
  const view: ProposedView = {
    name: 'recency_photos',
    columns: [
      ['id', `p.${quoted(key)}`],
      ['owner_id', `p.${quoted(owner)}`],
      ['audience', audience === undefined ? audiences.expression : `p.${NUMBER}`],
      ['uploaded_at', `p.${quoted(recipe.isPlain ? time.name : MS)}`],
      ['title', titleOf(photos)],
    ],
    from: `${quoted(table.name)} AS p`,
    joins: [],
    where:
      conditionsOf(rules).length === 0 ? [] : [{ condition: `p.${NUMBER} IS NOT NULL`, guess: leftOut(table.name) }],
    guesses: [
      ...tablesOf(photos),
      {
        about: `${table.name}.${time.name}`,
        guess: `when a photo was uploaded: ${recipe.what}`,
        why: recipe.why,
        ...(recipe.found && { found: recipe.found }),
        check: recipe.check,
      },
      audiences.guess,
      ...rules.map(({ guess }) => guess),
      ...mediaOf(schema, photos),
    ],
  };
  const columns = [time.name, ...(audiences.column === undefined ? [] : [audiences.column]), ...readsOf(rules)];
  return {
    ...{ view, audiences, alterations: alterationsFor(photos, recipe, audience) },
    mapping: [
      { table: table.name, hint: 'photo', owner, columns: [...new Set(columns)], ...countedRows(table, rules) },
    ],
  };
}

/**
 * Rows that a foreign key deletes are in no row event. Where photos have NULL in the key's column, those rows were no photos, and
 * an entry without them misses nothing (capture/cascades.ts).
 */
function countedRows({ references }: InspectedTable, rules: readonly Rule[]): Pick<MappedTable, 'when' | 'why'> {
  const deleting = new Set(references.filter(({ deletes }) => deletes).map(({ column }) => column));
  const columns = rules.flatMap(({ isNull, reads }) => (isNull && reads && deleting.has(reads) ? [reads] : []));
  if (columns.length === 0) return { why: 'a row is a photo' };
  return {
    when: Object.fromEntries(columns.map((column) => [column, [null]])),
    why: `a row is a photo, unless it has a ${columns.join(' or a ')} (when): if you let such rows be photos in the view, remove it here`,
  };
}

function tablesOf({ table, owner, others }: Photos): Guess[] {
  const names = others.map(({ name, rows }) => `${name} (about ${rows} rows)`).join(', ');
  return [
    {
      about: table.name,
      guess: `the photos, of ${owner}`,
      why: 'its name, an id of its owner and a time',
      ...(others.length > 0 ? { found: `these look like photos as well: ${names}` } : {}),
      check: `Are the rows of ${table.name} what counts as an upload?`,
    },
  ];
}

function titleOf({ table }: Photos): string {
  const column = columnNamed(table, ['title', 'caption', 'name', 'description', 'text', 'body', 'content']);
  if (column === undefined || !isText(column)) return "''";
  return `COALESCE(LEFT(p.${quoted(column.name)}, 255), '')`;
}

function leftOut(table: string): Guess {
  return {
    about: `${table}.${NUMBER}`,
    guess: 'NULL where one of these does not hold, and then the row is no photo',
    why: 'a WHERE alone would let each look-up for the newest photo read all newer rows that are none',
  };
}

/** What an index can hold of the audience and of the rules. Undefined: every row is a photo, with the same audience. */
function audienceColumn(
  { expression, isConstant, column }: SiteAudiences,
  conditions: readonly string[],
): Omit<Alteration, 'table'> | undefined {
  if (isConstant && conditions.length === 0) return undefined;
  const all = conditions.join(' AND ');
  const number = column === undefined ? `${expression}, the audience of all` : `${column} as the number of an audience`;
  return {
    add: `COLUMN ${NUMBER} TINYINT AS (${conditions.length === 0 ? expression : `IF(${all}, ${expression}, NULL)`}) VIRTUAL INVISIBLE`,
    why: conditions.length === 0 ? number : `${number}; NULL for a row that is no photo`,
  };
}

function alterationsFor(
  { table, key, owner, time }: Photos,
  recipe: TimeRecipe,
  audience: Omit<Alteration, 'table'> | undefined,
): Alteration[] {
  const add = (text: string, why: string): Alteration => ({ table: table.name, add: text, why });
  const sought = [owner, ...(audience === undefined ? [] : [NUMBER]), recipe.isPlain ? time.name : MS];
  const hasKey = recipe.isPlain && audience === undefined && hasKeyOn(table, sought);
  return [
    ...(recipe.isPlain
      ? []
      : [
          add(
            `COLUMN ${MS} BIGINT AS (${recipe.expression}) VIRTUAL INVISIBLE`,
            `${time.name} in ms, so that an index can hold it`,
          ),
        ]),
    ...(audience === undefined ? [] : [{ table: table.name, ...audience }]),
    ...(hasKey
      ? []
      : [
          add(
            `KEY recency_newest (${[...sought, key].map(quoted).join(', ')})`,
            'the newest photos of an owner for each audience, without reading the table',
          ),
        ]),
  ];
}

/** Files of posts: nothing in the views reads them. */
function mediaOf({ tables }: InspectedSchema, { table }: Photos): Guess[] {
  const media = tables.find(({ name }) => /^(media|media_attachments|attachments)$/i.test(name));
  if (media === undefined || media === table) return [];
  const guess = `not read: a row of ${table.name} counts as a photo whether or not it has files`;
  return [
    {
      about: media.name,
      guess,
      why: 'a view that looked into it would not merge',
      check: `Do all rows of ${table.name} have files? Otherwise name what tells them apart in recency_photos.`,
    },
  ];
}
