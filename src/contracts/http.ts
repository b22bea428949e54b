import { z } from 'zod';
import { idSchema } from './id.ts';
import { decodeCursor, LONGEST_CURSOR } from './page-cursor.ts';
import { RELATIONS } from './relation.ts';

/** Parts of requests and answers that several routes share: the same schemas check, type and document them. */

/** Contacts in an answer when nothing is asked for. */
export const DEFAULT_LIMIT = 10;

/** A whole number in the query, in canonical decimal digits. */
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

/** In the document it is the number that the text stands for. */
function asInteger(minimum: number, maximum: number, fallback: number) {
  return ({ jsonSchema }: { readonly jsonSchema: object }) => {
    Object.assign(jsonSchema, { type: 'integer', minimum, maximum, default: fallback });
    Reflect.deleteProperty(jsonSchema, 'pattern');
  };
}

/** Repeated keys come as arrays. */
function givenOnce(otherwise: string) {
  return (issue: { readonly input?: unknown }) => (Array.isArray(issue.input) ? 'is given more than once' : otherwise);
}

export const relationParameter = z
  .enum(RELATIONS, { error: givenOnce(`must be one of ${RELATIONS.join(', ')}`) })
  .default('any')
  .meta({ description: 'Only those whom the user calls so.' });

const NO_CURSOR = 'is not a cursor: give the `next` of the page before, unchanged';

export const afterParameter = z
  .string({ error: givenOnce(NO_CURSOR) })
  .transform((text, context) => {
    const key = decodeCursor(text);
    if (key === undefined) context.issues.push({ code: 'custom', input: text, message: NO_CURSOR });
    return key ?? z.NEVER;
  })
  .optional()
  .meta({ description: 'The `next` of the page before.', override: { type: 'string', maxLength: LONGEST_CURSOR } });

export const timeSchema = z.iso.datetime({ precision: 3 }).meta({
  id: 'Time',
  description: 'UTC, with milliseconds. Times past the year 9999 are written as its last moment.',
});

export const floorSchema = z
  .strictObject({ at: timeSchema, id: idSchema })
  .meta({ id: 'Floor', description: 'The highest place ever left out of the index.' });

export const REASONS = ['cold', 'redis_unavailable', 'below_floor', 'changed_meanwhile'] as const;

/** Why an answer came from the plain query, or is not exact. */
export type Reason = (typeof REASONS)[number];

export const answerSchema = z
  .strictObject({
    source: z.enum(['index', 'database']).meta({
      description: 'index: the index narrowed the live query. database: the plain query over all contacts answered.',
    }),
    exact: z.boolean().meta({
      description:
        'Every row is in its right place as of the moment the index was read, but for changes whose tasks are still on their way.',
    }),
    complete: z.boolean().meta({ description: 'Every contact of the user was considered.' }),
    floor: floorSchema.nullable().meta({ description: 'null: nobody was left out.' }),
    reason: z.enum(REASONS).optional().meta({
      description:
        'Why the source is the database, or, from the primary, why not exact. cold: the user has no index yet, one is being built. redis_unavailable: Redis cannot be asked, or not be trusted yet. below_floor: a filter, a page or a limit goes past what the index knows. changed_meanwhile: the contacts changed while their photos were read.',
    }),
    replica: z.literal(true).optional().meta({
      description: 'The rows were read from a replica, which may lag: the answer is not exact.',
    }),
  })
  .meta({ id: 'Answer', description: 'Where the answer came from, and how far it can be trusted.' });

/** What the user calls a contact. */
export const relationsSchema = z.array(z.enum(['friend', 'family']));

export const contactFields = {
  id: idSchema,
  last_upload_at: timeSchema.meta({ description: "The contact's newest photo that this user may see." }),
  relation: relationsSchema,
};
