import { z } from 'zod';
import { INDEX_CLASSES } from '../../contracts/drift.ts';
import { floorSchema, REASONS, relationsSchema, timeSchema } from '../../contracts/http.ts';
import { idSchema } from '../../contracts/id.ts';
import { CONTACTS, type Kind } from '../../contracts/kind.ts';
import type { ExplainedContact } from '../../mysql/statements/explained-contact.ts';
import { audiencesOf } from '../../mysql/statements/photos.ts';
import type { Explanation } from '../../query/explain.ts';
import { ANSWER_VERDICT_CODES, RULES, VERDICT_CODES, wordedFor } from '../../query/verdict.ts';
import type { KindIndexes } from '../dependencies.ts';
import { HttpProblem } from '../http-problem.ts';
import { parse } from '../parse.ts';
import { json } from '../reply.ts';
import { capitalized, type HttpOperation, problemsWhereUnused, type Route, whereInUse } from '../route.ts';
import { floorView, relationView, timeView } from '../views.ts';
import { stateSchema } from './user-index.ts';

function rowSchema({ singular, name, hasRelations }: Kind) {
  return z.strictObject({
    related: z.boolean(),
    last_upload_at: timeSchema
      .nullable()
      .meta({ description: `null: the ${singular} has no photo that this user may see.` }),
    ...(hasRelations ? { relation: relationsSchema } : {}),
    sees: z.array(z.int()).meta({ description: `The audiences of the ${singular}'s photos that the user may see.` }),
    version: z.string().meta({ description: "The version of the relationship's row." }),
    place: z
      .int()
      .positive()
      .nullable()
      .meta({
        description: `The rank among all of the user's ${name}; 1 is the most recently active one. null: the ${singular} has none.`,
      }),
  });
}

/** The schema of an explanation of this kind's indexes. */
function explanationSchema(kind: Kind): z.ZodObject {
  const { name, singular } = kind;
  return z
    .strictObject({
      user: idSchema,
      [singular]: idSchema,
      verdict: z.strictObject({
        code: z.enum(VERDICT_CODES).meta({ description: `Why the ${singular} is, or is not, in the index.` }),
        sentence: z.string().meta({ description: 'The same as a sentence.' }),
      }),
      drift: z
        .enum(INDEX_CLASSES)
        .nullable()
        .meta({
          description: `How the index is wrong, about this ${singular} or as a whole; null: it is not.`,
        }),
      breaks: z.string().nullable().meta({ description: 'The rule that the drift breaks, as a sentence.' }),
      in_index: z.boolean(),
      in_answer: z
        .boolean()
        .meta({ description: `The first page of the recency list, with default parameters, shows the ${singular}.` }),
      answer: z.strictObject({
        source: z.enum(['index', 'database']),
        reason: z.enum(REASONS).optional(),
        verdict: z.strictObject({
          code: z.enum(ANSWER_VERDICT_CODES).meta({ description: `Why the ${singular} is, or is not, in the answer.` }),
          sentence: z.string().meta({ description: 'The same as a sentence.' }),
        }),
      }),
      mysql: rowSchema(kind).nullable().meta({ description: 'null: MySQL has no row for the pair.' }),
      index: z.strictObject({
        state: stateSchema,
        epoch_current: z.boolean().nullable(),
        last_upload_at: timeSchema
          .nullable()
          .meta({ description: `From the ${singular}'s entry in the index; null: there is none.` }),
        size: z.int().nonnegative(),
        floor: floorSchema.nullable(),
        complete: z.boolean(),
      }),
    })
    .meta({ id: name === CONTACTS.name ? 'Explanation' : `ExplanationOf${capitalized(name)}` });
}

/** An explanation in JSON, for the API and the command line. What is explained has the kind's own name: `group`. */
export function explanationView(found: Explanation) {
  const { kind, user, contact, verdict, sentence, drift, row, index, answer } = found;
  const { state, epochCurrent, entry, size, floor, complete } = index;
  const named: object = { [kind.singular]: contact };
  return {
    user,
    ...named,
    verdict: { code: verdict, sentence },
    drift: drift ?? null,
    breaks: drift === undefined ? null : wordedFor(RULES[drift], kind),
    in_index: entry !== undefined,
    in_answer: answer.shown,
    answer: {
      source: answer.source,
      ...(answer.reason === undefined ? {} : { reason: answer.reason }),
      verdict: { code: answer.verdict, sentence: answer.sentence },
    },
    mysql: row === undefined ? null : rowView(row, kind),
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

function rowView(row: ExplainedContact, { hasRelations }: Kind) {
  const { related, at, sees, version, above } = row;
  return {
    related,
    last_upload_at: timeView(at),
    ...(hasRelations ? { relation: relationView(row) } : {}),
    sees: audiencesOf(sees).map(Number),
    version,
    place: related && at > 0 ? above + 1 : null,
  };
}

const query = z.strictObject({});

function operationOf(kind: Kind, params: z.ZodObject): HttpOperation {
  const { name, singular } = kind;
  return {
    id: `explain${capitalized(singular)}`,
    method: 'get',
    path: `/v1/users/{user}/${name}/{${singular}}/explain`,
    scope: 'read',
    tag: 'answers',
    summary: `Why a ${singular} is, or is not, in the user's index and answer`,
    description: `Costs as much as a plain query, because it counts who was active more recently.${whereInUse(kind)}`,
    params,
    query,
    replies: { 200: { description: 'The explanation.', schema: explanationSchema(kind) } },
    ...problemsWhereUnused(kind),
  };
}

/** @param explain undefined: the kind is not in use */
export function explainRoute(kind: Kind, explain: KindIndexes['explain'] | undefined): Route {
  const ids = { user: idSchema, [kind.singular]: idSchema };
  const params = z.strictObject(ids);
  return {
    operation: operationOf(kind, params),
    handle: async (request, deadline) => {
      if (explain === undefined) throw new HttpProblem('not_found');
      const { user = '', [kind.singular]: explained = '' } = parse('path', params, request.params);
      parse('query', query, request.query);
      return json(200, explanationView(await explain(user, explained, deadline)));
    },
  };
}
