/**
 * The view `recency_photos`: existing photos, with a time in ms and an audience, and the index that photos are read by and the
 * last upload of a contact is derived by (mysql/last-upload.ts).
 */
import type { InspectedSchema } from '../mysql/inspected-schema.ts';
import { quoted } from '../mysql/quoted.ts';
import { findAudiences, ownCopies, type SiteAudiences } from './audiences.ts';
import { flagRules } from './flags.ts';
import { type Alteration, type Guess, type MappedTable, type ProposedView, readsOf } from './guess.ts';
import type { Samples } from './samples.ts';
import type { Photos, SiteRelation } from './site.ts';
import { columnNamed, hasKeyOn, isText } from './tables.ts';
import { type TimeRecipe, timeRecipe } from './times.ts';

export interface ProposedPhotos {
  readonly view: ProposedView;
  readonly audiences: SiteAudiences;
  readonly alterations: readonly Alteration[];
  readonly mapping: readonly MappedTable[];
  readonly guesses: readonly Guess[];
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
  const rules = flagRules(table, 'photo', 'p.', samples);
  const columnOfTime = recipe.isPlain ? time.name : MS;
  const view: ProposedView = {
    name: 'recency_photos',
    columns: [
      ['id', `p.${quoted(key)}`],
      ['owner_id', `p.${quoted(owner)}`],
      ['audience', audiences.isConstant ? audiences.expression : `p.${NUMBER}`],
      ['uploaded_at', `p.${quoted(columnOfTime)}`],
      ['title', titleOf(photos)],
    ],
    from: `${quoted(table.name)} AS p`,
    joins: [],
    where: rules.map(({ condition }) => condition),
  };
  const columns = [time.name, ...(audiences.column === undefined ? [] : [audiences.column]), ...readsOf(rules)];
  const about = `${table.name}.${time.name}`;
  return {
    ...{ view, audiences, alterations: alterationsFor(photos, recipe, audiences, readsOf(rules)) },
    mapping: [{ table: table.name, hint: 'photo', owner, columns: [...new Set(columns)], why: 'a row is a photo' }],
    guesses: [
      { about: table.name, guess: `the photos, of ${owner}`, why: 'its name, an id of its owner and a time' },
      { about, guess: `when a photo was uploaded: ${recipe.what}`, why: recipe.why, check: recipe.check },
      audiences.guess,
      ...rules.map(({ guess }) => guess),
      ...mediaOf(schema, photos),
    ],
  };
}

function titleOf({ table }: Photos): string {
  const column = columnNamed(table, ['title', 'caption', 'name', 'description', 'text', 'body', 'content']);
  if (column === undefined || !isText(column)) return "''";
  return `COALESCE(LEFT(p.${quoted(column.name)}, 255), '')`;
}

function alterationsFor(
  { table, key, owner, time }: Photos,
  recipe: TimeRecipe,
  audiences: SiteAudiences,
  reads: readonly string[],
): Alteration[] {
  const add = (text: string, why: string): Alteration => ({ table: table.name, add: text, why });
  const at = recipe.isPlain ? time.name : MS;
  const audience = audiences.isConstant ? [] : [NUMBER];
  const sought = [owner, ...audience, at];
  const columns = [...sought, key, ...reads.filter((column) => isShort(table, column))];
  return [
    ...(recipe.isPlain
      ? []
      : [
          add(
            `COLUMN ${MS} BIGINT AS (${recipe.expression}) VIRTUAL`,
            `${time.name} in ms, so that an index can hold it`,
          ),
        ]),
    ...(audiences.isConstant
      ? []
      : [
          add(
            `COLUMN ${NUMBER} TINYINT AS (${audiences.expression}) VIRTUAL`,
            `${audiences.column} as the number of an audience`,
          ),
        ]),
    ...(recipe.isPlain && audiences.isConstant && hasKeyOn(table, sought)
      ? []
      : [
          add(
            `KEY recency_newest (${columns.map(quoted).join(', ')})`,
            'the newest photos of an owner for each audience, without reading the table',
          ),
        ]),
  ];
}

/** In the index as well, so that rows that do not count are passed over without reading the table. */
function isShort({ columns }: Photos['table'], name: string): boolean {
  const column = columns.find((one) => one.name === name);
  return column !== undefined && !isText(column);
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
