import { z } from 'zod';
import { idSchema } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import { decodeThrough, LONGEST_THROUGH } from '../../contracts/seen.ts';
import { type MarkSeen, OtherLists, type SeenMark } from '../../query/mark-seen.ts';
import { HttpProblem } from '../http-problem.ts';
import { jsonBody, parse } from '../parse.ts';
import { noContent } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const query = z.strictObject({});

const NO_THROUGH = 'is not what an answer shows: pass its `answer.through`, unchanged';

const through = z
  .string()
  .transform((text, context) => {
    const lists = decodeThrough(text);
    if (lists === undefined) context.issues.push({ code: 'custom', input: text, message: NO_THROUGH });
    return lists ?? z.NEVER;
  })
  .meta({
    description: 'The `answer.through` of the answer that was shown.',
    override: { type: 'string', maxLength: LONGEST_THROUGH },
  });

const NO_TIME = 'must be a time as in RFC 3339: 2004-05-01T12:00:00.123Z';

const at = z.iso
  .datetime({ offset: true, error: NO_TIME })
  .transform((text) => Date.parse(text))
  .meta({
    description: 'Everything up to this time, RFC 3339. A time in the future is taken for now.',
    override: { type: 'string', format: 'date-time' },
  });

const ONE = 'must have either `through` or `at`';

const body = z
  .strictObject({ through: through.optional(), at: at.optional() })
  .refine((given) => (given.through === undefined) !== (given.at === undefined), ONE)
  .meta({ id: 'Seen', description: 'Either `through` or `at`.' });

const description =
  'Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.';

const replies = { 204: { description: 'The user has seen it, now or before.' } };

const common = { method: 'put', scope: 'write', tag: 'seen', query, body, description, replies } as const;

const user = { user: idSchema };

function operationOfAll(): HttpOperation {
  const summary = 'Marks everything as seen, of every kind';
  return { ...common, id: 'markSeen', path: '/v1/users/{user}/seen', summary, params: z.strictObject(user) };
}

function operationOfKind({ name }: Kind): HttpOperation {
  const summary = `Marks all ${name} as seen`;
  const path = `/v1/users/{user}/${name}/seen`;
  return { ...common, id: `mark${capitalized(name)}Seen`, path, summary, params: z.strictObject(user) };
}

function operationOfSource({ name, singular }: Kind): HttpOperation {
  const summary = `Marks one of the ${name} as seen`;
  const params = z.strictObject({ ...user, id: idSchema });
  return {
    ...common,
    id: `mark${capitalized(singular)}Seen`,
    path: `/v1/users/{user}/${name}/{id}/seen`,
    summary,
    params,
  };
}

/** @param kinds those in use */
export function markSeenRoutes(seen: Pick<MarkSeen, 'mark'>, kinds: readonly Kind[]): Route[] {
  return [
    routeOf(operationOfAll(), seen, kinds),
    ...kinds.flatMap((kind) => [
      routeOf(operationOfKind(kind), seen, [kind]),
      routeOf(operationOfSource(kind), seen, [kind]),
    ]),
  ];
}

function routeOf(operation: HttpOperation, seen: Pick<MarkSeen, 'mark'>, kinds: readonly Kind[]): Route {
  const names = kinds.map(({ name }) => name);
  const params = z.strictObject({ ...user, id: idSchema.optional() });
  return {
    operation,
    before: jsonBody,
    handle: async (request) => {
      const { user, id: source } = parse('path', params, request.params);
      parse('query', query, request.query);
      await mark(seen, { user, kinds: names, source, seen: seenIn(parse('body', body, request.body)) });
      return noContent();
    },
  };
}

function seenIn({ through, at }: z.output<typeof body>): SeenMark['seen'] {
  return through === undefined ? { at: at ?? 0 } : { through };
}

async function mark(seen: Pick<MarkSeen, 'mark'>, asked: SeenMark): Promise<void> {
  try {
    await seen.mark(asked);
  } catch (error) {
    if (!(error instanceof OtherLists)) throw error;
    const { message: detail } = error;
    throw new HttpProblem('invalid_body', {
      detail: `through: ${detail}`,
      errors: [{ field: 'through', in: 'body', detail }],
    });
  }
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
