import { z } from 'zod';

/**
 * Every way in which a request can fail, with its HTTP status and the words that say it. Clients branch on the codes, so
 * a code never changes its meaning and none is taken away.
 */
export const PROBLEMS = {
  invalid_parameter: [400, 'A part of the path or the query is wrong.'],
  invalid_body: [400, 'The body is not what this route takes.'],
  malformed_json: [400, 'The body is not JSON.'],
  malformed_request: [400, 'The request cannot be read.'],
  token_missing: [401, 'A token is needed: `Authorization: Bearer …`.'],
  token_unknown: [401, 'The token is not known.'],
  scope_missing: [403, 'The token does not allow this.'],
  not_found: [404, 'There is no such route.'],
  method_not_allowed: [405, 'The route does not know this method.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  key_in_the_way: [409, "A key in Redis that is not Recency's has the name of this index. Rename it or take it away."],
  body_too_large: [413, 'The body is larger than 64 KiB.'],
  unsupported_media_type: [415, 'The body must be application/json, in UTF-8.'],
  rate_limited: [429, 'Too many requests from this address.'],
  host_not_allowed: [
    421,
    'Without tokens only requests to localhost, 127.0.0.1 or [::1] are answered: the header Host names another.',
  ],
  headers_too_large: [431, 'The headers of the request are too large.'],
  internal: [500, 'Something went wrong here; the log has it under the id of the request.'],
  starting: [503, 'The service is starting: MySQL has not been there yet.'],
  database_busy: [503, 'Every connection to MySQL is in use, and none would be free in time.'],
  database_unavailable: [503, 'MySQL cannot be asked now.'],
  redis_unavailable: [503, 'Redis cannot be asked now.'],
  plain_query_limit: [503, 'So many heavy queries run and wait that this one would not be answered in time.'],
  deadline_exceeded: [503, 'The answer takes longer than a request may.'],
  transport_unavailable: [503, 'The transport did not take the tasks.'],
  epoch_suspended: [503, 'No index is built now: tasks were lost, and the consumers have not caught up yet.'],
  transport_full: [503, 'As many tasks wait on the transport as may.'],
  index_slow: [503, 'Reading all contacts takes longer than a request may; the consumers build the index now.'],
  contended: [503, 'The index changed too often to be rebuilt now.'],
} as const satisfies Readonly<Record<string, readonly [status: number, detail: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** One part of the request that is at fault. */
export interface FieldError {
  /** `limit`, `user`; of an array in the body with its place, from 0: `[3].contact`. */
  readonly field: string;
  readonly in: 'path' | 'query' | 'body';
  /** What is wrong with it. */
  readonly detail: string;
}

const fieldErrorSchema = z.strictObject({
  field: z.string().meta({ description: 'In an array with its position, from 0.', example: '[3].contact' }),
  in: z.enum(['path', 'query', 'body']),
  detail: z.string(),
});

/** RFC 9457, `application/problem+json`. */
export const problemSchema = z
  .strictObject({
    type: z.literal('about:blank'),
    title: z.string().meta({ description: "The status in HTTP's own words." }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'For people; may change.' }),
    code: z.enum(PROBLEM_CODES).meta({ description: 'Stable: branch on this.' }),
    request_id: z.string().meta({ description: 'Also in the header X-Request-Id, and in the log.' }),
    field: z.string().optional().meta({ description: 'The first field at fault.' }),
    errors: z.array(fieldErrorSchema).optional().meta({ description: 'Every field at fault.' }),
  })
  .meta({ id: 'Problem', description: 'Problem details (RFC 9457).' });

export type Problem = z.infer<typeof problemSchema>;
