import { z } from 'zod';

/**
 * Every way a request can fail, with its HTTP status and the default detail. Clients branch on the codes, so a code never
 * changes its meaning and is never removed.
 */
export const PROBLEMS = {
  invalid_parameter: [400, 'A path or query parameter is invalid.'],
  invalid_header: [400, 'A request header is invalid.'],
  invalid_body: [400, 'The body is not valid for this route.'],
  malformed_json: [400, 'The body is not valid JSON.'],
  malformed_request: [400, 'The request is malformed.'],
  token_missing: [401, 'A token is required: `Authorization: Bearer …`.'],
  token_unknown: [401, 'The token is unknown.'],
  scope_missing: [403, 'The token does not grant the required scope.'],
  not_found: [404, 'No such route.'],
  letter_unknown: [404, 'There is no such dead letter.'],
  watch_unknown: [404, 'There is no such watch.'],
  method_not_allowed: [405, 'The route does not support this method.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  key_in_the_way: [409, 'A Redis key that does not belong to Recency has the name of this index. Rename or remove it.'],
  letter_not_replayable: [409, 'A dead letter does not hold the whole message.'],
  watch_busy: [
    409,
    'A notification of this watch is on its way, or it has not been checked since its last test. Try again in a moment.',
  ],
  too_many_watches: [409, 'The user has as many watches as one may have.'],
  body_too_large: [413, 'The body is larger than 64 KiB.'],
  unsupported_media_type: [415, 'The body must be application/json, in UTF-8.'],
  rate_limited: [429, 'Too many requests from this address.'],
  host_not_allowed: [
    421,
    'Without tokens, the API answers only requests to localhost, 127.0.0.1 or [::1]; the Host header names another host.',
  ],
  headers_too_large: [431, 'The request headers are too large.'],
  database_refused: [
    500,
    'MySQL cannot read a row of a view, or a table, a column or a right is missing. The log has its error under the request id.',
  ],
  internal: [500, 'Internal error. The log has the details under the request id.'],
  starting: [503, 'The service is starting: it is waiting for MySQL.'],
  database_busy: [503, 'Every MySQL connection is in use, and none will be free in time.'],
  database_unavailable: [503, 'MySQL is unavailable.'],
  redis_unavailable: [503, 'Redis is unavailable.'],
  plain_query_limit: [503, 'Plain-query limit reached.'],
  deadline_exceeded: [503, 'The request exceeded its time limit.'],
  transport_unavailable: [503, 'The transport did not accept the tasks.'],
  epoch_suspended: [503, 'Index builds are suspended: tasks were lost, and the consumers have not caught up yet.'],
  transport_full: [503, 'The task limit of the transport is reached.'],
  index_slow: [503, 'Reading all contacts exceeded the time limit of a request; the consumers are building the index.'],
  streams_full: [503, 'As many streams are open as this process may have.'],
  contended: [503, 'The index kept changing while it was rebuilt.'],
} as const satisfies Readonly<Record<string, readonly [status: number, detail: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** One invalid part of the request. */
export interface FieldError {
  /** `limit`, `user`, `Recency-Fresh`; within an array in the body with its position, from 0: `[3].contact`. */
  readonly field: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** What is wrong with it. */
  readonly detail: string;
}

const fieldErrorSchema = z.strictObject({
  field: z.string().meta({ description: 'In an array with its position, from 0.', example: '[3].contact' }),
  in: z.enum(['path', 'query', 'header', 'body']),
  detail: z.string(),
});

/** RFC 9457, `application/problem+json`. */
export const problemSchema = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: 'The reason phrase of the status.' }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'A human-readable explanation; the wording may change.' }),
    code: z.enum(PROBLEM_CODES).meta({ description: 'Stable; branch on this.' }),
    request_id: z.string().meta({ description: 'Also in the header X-Request-Id, and in the log.' }),
    field: z.string().optional().meta({ description: 'The first invalid field.' }),
    errors: z.array(fieldErrorSchema).optional().meta({ description: 'Every invalid field.' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

export type Problem = z.infer<typeof problemSchema>;
