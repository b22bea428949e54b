import { z } from 'zod';
import { INDEX_CLASSES } from '../contracts/drift.ts';
import { floorSchema, REASONS, relationsSchema, timeSchema } from '../contracts/http.ts';
import { idSchema } from '../contracts/id.ts';
import type { ExplainedContact } from '../mysql/explained-contact.ts';
import { audiencesOf } from '../mysql/photos.ts';
import type { Explanation } from '../query/explain.ts';
import { ANSWER_VERDICT_CODES, RULES, VERDICT_CODES } from '../query/verdict.ts';
import { stateSchema } from './index-view.ts';
import { floorView, relationView, timeView } from './views.ts';

const rowSchema = z.strictObject({
  related: z.boolean(),
  last_upload_at: timeSchema.nullable().meta({ description: 'null: the contact has no photo that this user may see.' }),
  relation: relationsSchema,
  sees: z.array(z.int()).meta({ description: "The audiences of the contact's photos that the user may see." }),
  version: z.string().meta({ description: "The version of the relationship's row." }),
  place: z.int().positive().nullable().meta({
    description:
      "The rank among all of the user's contacts; 1 is the most recently active. null: the contact has none.",
  }),
});

export const explanationSchema = z
  .strictObject({
    user: idSchema,
    contact: idSchema,
    verdict: z.strictObject({
      code: z.enum(VERDICT_CODES).meta({ description: 'Why the contact is, or is not, in the index.' }),
      sentence: z.string().meta({ description: 'The same as a sentence.' }),
    }),
    drift: z.enum(INDEX_CLASSES).nullable().meta({
      description: 'How the index is wrong, about this contact or as a whole; null: it is not.',
    }),
    breaks: z.string().nullable().meta({ description: 'The rule that the drift breaks, as a sentence.' }),
    in_index: z.boolean(),
    in_answer: z
      .boolean()
      .meta({ description: 'The first page of the recency list, with default parameters, shows the contact.' }),
    answer: z.strictObject({
      source: z.enum(['index', 'database']),
      reason: z.enum(REASONS).optional(),
      verdict: z.strictObject({
        code: z.enum(ANSWER_VERDICT_CODES).meta({ description: 'Why the contact is, or is not, in the answer.' }),
        sentence: z.string().meta({ description: 'The same as a sentence.' }),
      }),
    }),
    mysql: rowSchema.nullable().meta({ description: 'null: MySQL has no row for the pair.' }),
    index: z.strictObject({
      state: stateSchema,
      epoch_current: z.boolean().nullable(),
      last_upload_at: timeSchema
        .nullable()
        .meta({ description: "From the contact's entry in the index; null: there is none." }),
      size: z.int().nonnegative(),
      floor: floorSchema.nullable(),
      complete: z.boolean(),
    }),
  })
  .meta({ id: 'Explanation' });

/** An explanation in JSON, for the API and the command line. */
export function explanationView(found: Explanation): z.input<typeof explanationSchema> {
  const { user, contact, verdict, sentence, drift, row, index, answer } = found;
  const { state, epochCurrent, entry, size, floor, complete } = index;
  return {
    user,
    contact,
    verdict: { code: verdict, sentence },
    drift: drift ?? null,
    breaks: drift === undefined ? null : RULES[drift],
    in_index: entry !== undefined,
    in_answer: answer.shown,
    answer: {
      source: answer.source,
      ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      verdict: { code: answer.verdict, sentence: answer.sentence },
    },
    mysql: row === undefined ? null : rowView(row),
    index: {
      state,
      epoch_current: epochCurrent ?? null,
      last_upload_at: timeView(entry?.at ?? 0),
      size,
      floor: floorView(floor),
      complete,
    },
  };
}

function rowView(row: ExplainedContact): z.input<typeof rowSchema> {
  const { related, at, sees, version, above } = row;
  return {
    related,
    last_upload_at: timeView(at),
    relation: relationView(row),
    sees: audiencesOf(sees).map(Number),
    version,
    place: related && at > 0 ? above + 1 : null,
  };
}
