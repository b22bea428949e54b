import { z } from 'zod';
import type { Kind } from '../../contracts/kind.ts';
import type { FieldError } from '../../contracts/problem.ts';
import { meaningOf, type Task, taskSchema, taskSchemaOf } from '../../contracts/task.ts';
import { ApplyNow, MOST_APPLIED_NOW } from '../../query/apply-now.ts';
import { everyKind, type Site } from '../../site/site.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { type TraceParent, traceParentOf } from '../../tracing/trace-parent.ts';
import { HttpProblem, unavailableProblem } from '../http-problem.ts';
import { jsonBody, MAX_FIELD_ERRORS, parse } from '../parse.ts';
import { json } from '../reply.ts';
import type { HttpOperation, Route } from '../route.ts';

const MAX_TASKS = 500;

const query = z.strictObject({
  apply: z
    .literal('now', { error: 'must be now' })
    .optional()
    .meta({
      description: `now: up to ${MOST_APPLIED_NOW} tasks of relations (recency.contact.…) are applied before the reply, which is 200. Tasks that cannot be applied now are published as otherwise, and the reply is 202.`,
    }),
});

const several = (schema: z.ZodType<Task>) =>
  z.array(schema).min(1, 'contains no task').max(MAX_TASKS, `contains more than ${MAX_TASKS} tasks`);

const acceptedSchema = z
  .strictObject({
    accepted: z.int().positive(),
    ids: z.array(z.string()).meta({ description: 'The ids of the tasks, in order; `ce_id` on the transport.' }),
  })
  .meta({ id: 'Accepted' });

const appliedSchema = z
  .strictObject({ applied: z.int().positive().meta({ description: 'How many tasks; always all of them.' }) })
  .meta({ id: 'Applied' });

const operation: HttpOperation = {
  id: 'postTasks',
  method: 'post',
  path: '/v1/tasks',
  scope: 'write',
  tag: 'tasks',
  summary: 'Reports that something changed',
  description:
    'One task or an array of up to 500, posted after the change was committed. A task is only a hint: what it names is read from MySQL. 202 means that the transport has stored the tasks.',
  query,
  body: z.union([taskSchema, several(taskSchema)]),
  replies: {
    200: { description: 'With apply=now: the indexes say what the tasks speak of.', schema: appliedSchema },
    202: { description: 'The transport has the tasks.', schema: acceptedSchema },
  },
};

export interface IdentifiedTask {
  readonly task: Task;
  readonly id: string;
}

/**
 * Resolves once the transport has stored the tasks.
 * @param cause the trace context of the request, for the consumers that apply them
 * @throws HttpProblem transport_full; anything else means transport_unavailable
 */
export type AcceptTasks = (tasks: readonly IdentifiedTask[], cause: TraceParent | undefined) => Promise<void>;

/** Refuses JSON that cannot be a task: `null`, a number, a string. @throws HttpProblem invalid_body */
function requireTasks(body: unknown): void {
  if (typeof body === 'object' && body !== null) return;
  const detail = `must be a task, or an array of up to ${MAX_TASKS}`;
  throw new HttpProblem('invalid_body', {
    detail: `body: ${detail}`,
    errors: [{ field: 'body', in: 'body', detail }],
  });
}

/**
 * Refuses tasks of kinds that are not in use: nothing would ever be done with them.
 * @param isArray the body, and not only a task in it @throws HttpProblem invalid_body
 */
function requireKinds(tasks: readonly Task[], kinds: readonly Kind[], isArray: boolean): void {
  const errors = tasks.flatMap((task, i): FieldError[] => {
    const about = meaningOf(task);
    if (about.of === 'user' || kinds.some(({ name }) => name === about.kind.name)) return [];
    const detail = `${about.kind.name} are not in use here; RECENCY_KINDS is ${kinds.map(({ name }) => name).join(',')}`;
    return [{ field: isArray ? `[${i}].type` : 'type', in: 'body', detail }];
  });
  const [first] = errors;
  if (first === undefined) return;
  throw new HttpProblem('invalid_body', {
    detail: `${first.field}: ${first.detail}`,
    errors: errors.slice(0, MAX_FIELD_ERRORS),
  });
}

/** Only single relations: a fan-out may take minutes. @throws HttpProblem invalid_body */
function requireApplicable(tasks: readonly Task[], isArray: boolean): void {
  const refused = (field: string, detail: string) =>
    new HttpProblem('invalid_body', { detail: `${field}: ${detail}`, errors: [{ field, in: 'body', detail }] });
  if (tasks.length > MOST_APPLIED_NOW) {
    throw refused('body', `contains more than ${MOST_APPLIED_NOW} tasks, the most that are applied at once`);
  }
  const at = tasks.findIndex((task) => !ApplyNow.canApply(task));
  if (at >= 0) throw refused(isArray ? `[${at}].type` : 'type', 'only a task of a relation can be applied now');
}

interface PostTasksParts {
  readonly accept: AcceptTasks;
  readonly applyNow: { readonly apply: (tasks: readonly Task[], deadline: Deadline) => Promise<boolean> };
  readonly freshId: () => string;
  readonly site: Site;
}

export function postTasksRoute({ accept, applyNow, freshId, site }: PostTasksParts): Route {
  const one = taskSchemaOf(everyKind(site));
  const many = several(one);
  return {
    operation,
    before: jsonBody,
    handle: async (request, deadline) => {
      const { apply } = parse('query', query, request.query);
      requireTasks(request.body);
      // Not parsed as a union: zod would not say what is wrong with either form.
      const tasks = Array.isArray(request.body)
        ? parse('body', many, request.body)
        : [parse('body', one, request.body)];
      requireKinds(tasks, site.kinds, Array.isArray(request.body));
      if (apply === 'now') {
        requireApplicable(tasks, Array.isArray(request.body));
        const body: z.input<typeof appliedSchema> = { applied: tasks.length };
        if (await applyNow.apply(tasks, deadline)) return json(200, body);
      }
      const identified = tasks.map((task) => ({ task, id: freshId() }));
      await accept(identified, traceParentOf(request.headers)).catch((error: unknown) => {
        throw error instanceof HttpProblem ? error : unavailableProblem('transport_unavailable', error);
      });
      const body: z.input<typeof acceptedSchema> = {
        accepted: identified.length,
        ids: identified.map(({ id }) => id),
      };
      return json(202, body);
    },
  };
}
