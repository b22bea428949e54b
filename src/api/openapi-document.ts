import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { problemSchema } from '../contracts/problem.ts';
import type { DocumentedReply, HttpOperation } from './route.ts';

type OpenApiDocument = ReturnType<typeof createDocument>;

const TAGS = [
  { name: 'answers', description: 'Which contacts were active most recently, and why.' },
  { name: 'seen', description: 'What the user has seen, and what is new.' },
  { name: 'tasks', description: 'Notifications that something changed.' },
  { name: 'indexes', description: "Inspecting and repairing users' indexes." },
  { name: 'watches', description: 'Who is told of what is new to a user, and how.' },
  { name: 'service', description: 'Health, metrics and this document.' },
];

/** The OpenAPI 3.1 document, built from the schemas that validate requests. */
export function openApiDocument(operations: readonly HttpOperation[], version: string): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: documented(operation) };
  }
  return createDocument({
    openapi: '3.1.1',
    info: { title: 'Recency', version, description: "Which of a user's contacts were active most recently?" },
    servers: [{ url: '/' }],
    tags: TAGS,
    paths,
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  });
}

function documented(operation: HttpOperation): ZodOpenApiOperationObject {
  const { id, tag, summary, description, scope, params, query, headers } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: scope === undefined ? [] : [{ token: [] }],
    ...(scope === undefined ? {} : { 'x-scope': scope }),
    requestParams: {
      ...(params ? { path: params } : {}),
      ...(query ? { query } : {}),
      ...(headers ? { header: headers } : {}),
    },
    ...requestBodyOf(operation),
    responses: { ...documentedReplies(operation), ...documentedProblems(operation) },
  };
}

/** A POST that needs no body may have an empty object: then clients send the Content-Type that is required without tokens. */
const NO_BODY = {
  required: false,
  description:
    'Ignored. Without tokens, the header Content-Type: application/json is still required, because pages of other sites cannot send it.',
  content: { 'application/json': { schema: z.strictObject({}).optional() } },
};

function requestBodyOf({ method, body }: HttpOperation): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (body) return { requestBody: { required: true, content: { 'application/json': { schema: body } } } };
  return method === 'post' ? { requestBody: NO_BODY } : {};
}

function documentedReplies({
  replies,
}: HttpOperation): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  return Object.fromEntries(Object.entries(replies).map(([status, reply]) => [status, documentedReply(reply)]));
}

function documentedReply({ description, schema, contentType, headers }: DocumentedReply): ZodOpenApiResponseObject {
  const type = schema ? 'application/json' : contentType;
  return {
    description,
    ...(headers ? { headers } : {}),
    ...(type ? { content: { [type]: { schema: schema ?? { type: 'string' } } } } : {}),
  };
}

/** The problems that an operation can answer with: its own, and those common to its kind. */
function documentedProblems({ method, scope, body, replies, problems = [] }: HttpOperation) {
  const statuses = [
    ...problems,
    ...(scope ? [400, 401, 403, 429, 503] : []),
    ...(body ? [413] : []),
    ...(method === 'post' || body ? [415] : []),
    421,
    500,
  ];
  const own = statuses.filter((status) => !(status in replies));
  return Object.fromEntries(own.map((status) => [String(status), problem(status)]));
}

function problem(status: number): ZodOpenApiResponseObject {
  return {
    description: STATUS_CODES[status] ?? 'A problem.',
    content: { 'application/problem+json': { schema: problemSchema } },
  };
}
