import type { Request } from 'express';
import { z } from 'zod';
import { timeSchema, wholeNumber } from '../../contracts/http.ts';
import { letterView, listedLetterView, NotReplayable } from '../../transport/dead-letters.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { HttpProblem } from '../http-problem.ts';
import { jsonBody, parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

/** Ids of one request. */
const MOST_IDS = 500;

const id = z.string().min(1).max(64).meta({ description: 'As the list shows it.', example: '0-17' });
const ids = z.array(id).min(1).max(MOST_IDS);

const params = z.strictObject({ id });
const none = z.strictObject({});
const listQuery = z.strictObject({
  limit: wholeNumber(1, 1_000, 100),
  after: id.optional().meta({ description: 'Start after this letter.' }),
});
const replayBody = z.strictObject({ ids }).meta({ id: 'DeadLettersToReplay' });
const discardBody = z
  .strictObject({
    ids: ids.optional(),
    type: z.string().min(1).max(64).optional().meta({ description: 'All letters of this type, in place of `ids`.' }),
    why: z.string().trim().min(1).max(1_000).meta({ description: 'The reason, which is kept.' }),
  })
  .refine(({ ids: some, type }) => (some === undefined) !== (type === undefined), 'must name either ids or a type')
  .meta({ id: 'DeadLettersToDiscard' });

const listedFields = {
  id,
  time: timeSchema.meta({ description: 'When it was set aside.' }),
  headers: z
    .record(z.string(), z.string())
    .meta({ description: "The message's own, and `dlq-…`: where it came from and why it failed." }),
};

const listed = z
  .strictObject({ ...listedFields, bytes: z.int().nullable().meta({ description: 'Of the body that is kept.' }) })
  .meta({ id: 'ListedDeadLetter' });
const shown = z
  .strictObject({
    ...listedFields,
    body: z.string().nullable(),
    encoding: z.literal('base64').optional().meta({ description: 'Of a body that is not UTF-8.' }),
  })
  .meta({ id: 'DeadLetter' });

const missing = z.array(id).meta({ description: 'Ids without a letter.' });

function operationOf(operation: Omit<HttpOperation, 'scope' | 'tag'>): HttpOperation {
  return { ...operation, scope: 'admin', tag: 'tasks' };
}

const OPERATIONS = {
  list: operationOf({
    id: 'listDeadLetters',
    method: 'get',
    path: '/v1/dead-letters',
    summary: 'Messages that cannot be applied, the oldest first, without their bodies',
    description: 'Those that were replayed or discarded are left out: nobody has to look at them.',
    query: listQuery,
    replies: {
      200: {
        description: 'None, if there are none.',
        schema: z.strictObject({ dead_letters: z.array(listed) }).meta({ id: 'DeadLetters' }),
      },
    },
  }),
  show: operationOf({
    id: 'showDeadLetter',
    method: 'get',
    path: '/v1/dead-letters/{id}',
    summary: 'One dead letter: its headers, and the first 64 KiB of its body',
    description: 'Also one that was replayed or discarded, while the transport keeps it.',
    params,
    query: none,
    replies: { 200: { description: 'The letter.', schema: shown } },
    problems: [404],
  }),
  replay: operationOf({
    id: 'replayDeadLetters',
    method: 'post',
    path: '/v1/dead-letters/replay',
    summary: 'Publishes dead letters again, once their cause is fixed',
    description:
      'With their original bytes and headers, each once. They are not listed any more; one that fails again is a new letter, which gives both reasons.',
    query: none,
    body: replayBody,
    replies: {
      200: {
        description: 'They were published.',
        schema: z.strictObject({ replayed: z.int(), missing }).meta({ id: 'ReplayedDeadLetters' }),
      },
    },
    problems: [409],
  }),
  discard: operationOf({
    id: 'discardDeadLetters',
    method: 'post',
    path: '/v1/dead-letters/discard',
    summary: 'Lists dead letters no longer: they change nothing any more',
    description:
      'Which they were, when and why is kept in `recency_settled_letters`; the letters stay on the transport until its retention ends.',
    query: none,
    body: discardBody,
    replies: {
      200: {
        description: 'They are not listed any more.',
        schema: z.strictObject({ discarded: z.array(id), missing }).meta({ id: 'DiscardedDeadLetters' }),
      },
    },
  }),
} as const;

/** For the people who run it. @param log is told what was replayed or discarded */
export function deadLetterRoutes(letters: ApiDependencies['deadLetters'], log: (facts: object) => void): Route[] {
  return [
    { operation: OPERATIONS.list, handle: (request) => list(letters, request) },
    {
      operation: OPERATIONS.replay,
      before: jsonBody,
      handle: async (request) => {
        parse('query', none, request.query);
        const { ids } = parse('body', replayBody, request.body);
        const replayed = await letters.replay(ids).catch(refuseTruncated);
        log({ letters: ids, ...replayed });
        return json(200, { ...replayed });
      },
    },
    {
      operation: OPERATIONS.discard,
      before: jsonBody,
      handle: async (request) => {
        parse('query', none, request.query);
        const { ids, type = '', why } = parse('body', discardBody, request.body);
        const discarded = await letters.discard(ids ?? { type }, why);
        log({ ...discarded, why });
        return json(200, { ...discarded });
      },
    },
    // After those whose paths it matches, too.
    { operation: OPERATIONS.show, handle: (request) => show(letters, request) },
  ];
}

async function list(letters: ApiDependencies['deadLetters'], request: Request) {
  const { limit, after } = parse('query', listQuery, request.query);
  const asked = letters.list({ limit, ...(after === undefined ? {} : { after }) });
  const found = await asked.catch((error: unknown) => {
    throw error instanceof RangeError ? new HttpProblem('invalid_parameter', { detail: error.message }) : error;
  });
  return json(200, { dead_letters: found.map(listedLetterView) });
}

async function show(letters: ApiDependencies['deadLetters'], request: Request) {
  const { id } = parse('path', params, request.params);
  parse('query', none, request.query);
  const letter = await letters.get(id);
  if (letter === undefined) throw new HttpProblem('letter_unknown');
  return json(200, letterView(letter));
}

function refuseTruncated(error: unknown): never {
  if (!(error instanceof NotReplayable)) throw error;
  throw new HttpProblem('letter_not_replayable', { detail: `${error.message}. Nothing was replayed.` });
}
