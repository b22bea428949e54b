import { z } from 'zod';
import { idSchema } from './id.ts';
import { decodeCursor, decodeSourceCursor, LONGEST_CURSOR, LONGEST_SOURCE_CURSOR } from './key.ts';
import { extraSchema, type Kind } from './kind.ts';
import { type NamedRelation, RELATION_NAME, RELATIONS, relationNames } from './relation.ts';
import { LONGEST_THROUGH } from './seen.ts';

/** Parts of requests and answers that several routes share. The same schemas validate, type and document them. */

/** Contacts in an answer by default. */
export const DEFAULT_LIMIT = 10;

/** A query parameter: a whole number in canonical decimal digits. */
export function wholeNumber(least: number, most: number, fallback: number) {
  const message = `must be a whole number from ${least} to ${most}, without sign or leading zero`;
  return z
    .string({ error: givenOnce(message) })
    .regex(/^[1-9][0-9]{0,8}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .prefault(String(fallback))
    .meta({ override: asInteger(least, most, fallback) });
}

/** Documents the parameter as the number that its text stands for. */
function asInteger(minimum: number, maximum: number, fallback: number) {
  return ({ jsonSchema }: { readonly jsonSchema: object }) => {
    Object.assign(jsonSchema, { type: 'integer', minimum, maximum, default: fallback });
    Reflect.deleteProperty(jsonSchema, 'pattern');
  };
}

/** Express passes repeated keys as arrays. */
export function givenOnce(otherwise: string) {
  return (issue: { readonly input?: unknown }) => (Array.isArray(issue.input) ? 'is given more than once' : otherwise);
}

const MARKED = 'Only contacts that the user has marked as such: also by a name that RECENCY_RELATIONS gives to a bit.';

/** Documents what a relation may be, whatever the site calls its bits. */
const relationForms = () => ({
  anyOf: [
    { type: 'string' as const, enum: [...RELATIONS] },
    { type: 'string' as const, pattern: RELATION_NAME.source },
  ],
});

/** In a body. @param named what the site calls bits */
export function relationField(named: readonly NamedRelation[]) {
  const names = relationNames(named);
  const message = `must be one of ${names.join(', ')}`;
  return z
    .string({ error: givenOnce(message) })
    .superRefine((given, context) => {
      if (!names.includes(given)) context.addIssue({ code: 'custom', input: given, message });
    })
    .meta({ description: MARKED, override: relationForms() });
}

/** In a query. @param named what the site calls bits */
export function relationParameter(named: readonly NamedRelation[]) {
  return relationField(named)
    .default('any')
    .meta({ description: MARKED, override: { default: 'any', ...relationForms() } });
}

const NO_FLAG = 'must be true or false';

export const unseenParameter = z
  .enum(['true', 'false'], { error: givenOnce(NO_FLAG) })
  .default('false')
  .transform((text) => text === 'true')
  .meta({
    description: 'true: only what is new to the user.',
    override: { type: 'boolean', default: false },
  });
/** In place of {@link relationParameter} for what users do not call friend or family. */
export const noRelation = z
  .enum(['any'], { error: givenOnce('must be any: only contacts are called friend or family') })
  .default('any');

const NO_CURSOR = 'is not a cursor: pass the `next` of the previous page, unchanged';

export const afterParameter = z
  .string({ error: givenOnce(NO_CURSOR) })
  .transform((text, context) => {
    const key = decodeCursor(text);
    if (key === undefined) context.issues.push({ code: 'custom', input: text, message: NO_CURSOR });
    return key ?? z.NEVER;
  })
  .optional()
  .meta({ description: 'The `next` of the previous page.', override: { type: 'string', maxLength: LONGEST_CURSOR } });

/** As {@link afterParameter}, for a list over several kinds. */
export const sourceCursorParameter = z
  .string({ error: givenOnce(NO_CURSOR) })
  .transform((text, context) => {
    const source = decodeSourceCursor(text);
    if (source === undefined) context.issues.push({ code: 'custom', input: text, message: NO_CURSOR });
    return source ?? z.NEVER;
  })
  .optional()
  .meta({
    description: 'The `next` of the previous page.',
    override: { type: 'string', maxLength: LONGEST_SOURCE_CURSOR },
  });

/** Photos of one source. */
export const photosParameter = wholeNumber(1, 50, 10);

export const timeSchema = z.iso.datetime({ precision: 3 }).meta({
  id: 'Time',
  description: 'UTC, with milliseconds. A time after the year 9999 is written as the last moment of that year.',
});

export const floorSchema = z
  .strictObject({ at: timeSchema, id: idSchema })
  .meta({ id: 'Floor', description: 'The highest position ever left out of the index.' });

/** The default of RECENCY_EXACT_WITHIN_MS. */
export const EXACT_WITHIN_MS = 10_000;

export const REASONS = [
  'cold',
  'redis_unavailable',
  'small',
  'below_floor',
  'changed_meanwhile',
  'not_refreshed',
  'version_not_committed',
  'strong',
  'lag',
  'one_source',
] as const;

/** Why an answer came from the plain query, or is not exact. */
export type Reason = (typeof REASONS)[number];

export const answerSchema = z
  .strictObject({
    source: z.enum(['index', 'database']).meta({
      description: 'index: the index narrowed the live query. database: the plain query read all contacts.',
    }),
    exact: z.boolean().meta({
      description:
        'The answer contains every change that was committed `lag_ms` or longer before `as_of`, each row in its right place; and `lag_ms` is known and at most `RECENCY_EXACT_WITHIN_MS` (10,000 unless it is set).',
    }),
    complete: z.boolean().meta({ description: 'Every contact of the user was considered.' }),
    floor: floorSchema.nullable().meta({ description: 'null: no contact was left out.' }),
    reason: z.enum(REASONS).optional().meta({
      description:
        'Why the database answered, or why an answer from the primary is not exact. cold: the user has no index; the second read within a day builds it, the first where indexes are kept for good (`RECENCY_KEEP`). small: the user has so few contacts (`RECENCY_INDEX_ABOVE`) that reading all of them takes no longer than an index does, so none is kept. redis_unavailable: Redis is unavailable, or not trusted yet. below_floor: a filter, a page or a limit reaches below what the index knows. changed_meanwhile: the contacts changed while their photos were read. not_refreshed: a change named in Recency-Fresh could not be written to the index in time, so the plain query shows it. version_not_committed: MySQL does not have a version named in Recency-Fresh yet, so the answer does not show that change. strong: `consistency=strong` was asked for. lag: from the index, not exact: `lag_ms` is not known, or greater than `RECENCY_EXACT_WITHIN_MS`; from the database, exact: it was not known, or greater than `max_lag`. one_source: the photos of one source are in no index, and a few are read.',
    }),
    as_of: timeSchema.meta({
      description:
        'When reading began, by the clock of the process that answers. Every change committed before is in the answer, unless it is younger than `lag_ms`.',
    }),
    lag_ms: z.int().nonnegative().nullable().meta({
      description:
        'The age of the oldest change that may be missing because it is not applied to the index yet, in ms at `as_of`: an upper bound over the outbox, the transport and delayed work, measured twice a second. 0: the database answered, so nothing is missing. null: not known, because the rows come from a replica, because this process has just started, or because nothing applies the changes: then an answer from the index is not exact.',
    }),
    through: z.string().max(LONGEST_THROUGH).meta({
      description: 'What the answer shows. When it is on the screen, pass it to `PUT …/seen`. Opaque.',
    }),
    replica: z.literal(true).optional().meta({
      description: 'The rows come from a replica, which may lag: the answer is not exact.',
    }),
  })
  .meta({ id: 'Answer', description: 'Where the answer came from, and whether it is exact.' });

/** How the user has marked a contact. */
export const relationsSchema = z
  .array(z.string())
  .meta({ description: 'friend, family, and names that RECENCY_RELATIONS gives to bits.' });

/** The fields of a row of an answer about this kind. */
export function fieldsOf({ hasRelations, singular }: Kind): z.ZodRawShape {
  if (hasRelations) return contactFields;
  const what = `The time of the ${singular}'s newest photo that this user may see.`;
  return {
    id: idSchema,
    last_upload_at: timeSchema.meta({ description: what }),
    unseen: contactFields.unseen,
    extra: contactFields.extra,
  };
}

const contactFields = {
  id: idSchema,
  last_upload_at: timeSchema.meta({ description: "The time of the contact's newest photo that this user may see." }),
  relation: relationsSchema,
  unseen: z.boolean().meta({
    description:
      'It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new.',
  }),
  extra: extraSchema.optional(),
};

/** The end of the year 9999: RFC 3339 has four digits for a year, and so have the parsers of clients. */
const LATEST = 253_402_300_799_999;

/**
 * A time for people and clients: RFC 3339, UTC, with milliseconds. A time past the year 9999 (rows of a broken clock)
 * is written as the last moment of that year; its place in the order still follows the exact value.
 * @param at ms since 1970 UTC, ≥ 0
 */
export function isoTime(at: number): string {
  return new Date(Math.min(at, LATEST)).toISOString();
}
