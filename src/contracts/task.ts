import { z } from 'zod';
import { BULK_FORMS, type BulkTask, isBulkTask } from './bulk-task.ts';
import { type Id, idSchema } from './id.ts';
import { KINDS, type Kind } from './kind.ts';

/**
 * What crosses the transport: a hint that something changed, never the truth, which is read from MySQL.
 * INTERFACE: `POST /v1/tasks`, the topic's message body, and a row of `recency_outbox` have the same content.
 */

/**
 * The version of a relation's row, as decimal text. It grows with every change of the row, so a row with a smaller
 * version is older than the change that the task reports.
 */
const versionSchema = z
  .union([idSchema, z.int().positive().transform(String)], 'a version is a whole number from 1')
  .meta({ description: 'The version of the relationship that this task speaks of.' });

type AnyKind = (typeof KINDS)[number];
type ValueOf<T> = T[keyof T];

type TaskOfKind<K extends AnyKind> = K extends AnyKind ? RelationTask<K> | PhotoTask<K> : never;

/** The relation of a user and what the user follows has changed. */
type RelationTask<K extends AnyKind = AnyKind> = K extends AnyKind
  ? { type: ValueOf<K['relationTasks']>; user: Id; version?: string | undefined } & Record<K['singular'], Id>
  : never;

/** The photos of something that users follow have changed. */
type PhotoTask<K extends AnyKind> = {
  type: ValueOf<K['photoTasks']>;
  photo?: Id | undefined;
  at?: number | undefined;
} & {
  [field in K['ownerField']]: Id;
};

const relationTask = ({ singular, relationTasks }: Kind) =>
  z.strictObject({
    type: z.enum(Object.values(relationTasks)),
    user: idSchema,
    [singular]: idSchema,
    version: versionSchema.optional(),
  });

const TIME = 'must be a time in ms since 1970, a whole number from 0';

const photoTask = ({ ownerField, photoTasks }: Kind) =>
  z.strictObject({
    type: z.enum(Object.values(photoTasks)),
    [ownerField]: idSchema,
    photo: idSchema.optional(),
    /** ms since 1970 UTC; a hint for people, never applied. */
    at: z.int(TIME).nonnegative(TIME).optional(),
  });

/**
 * A change of a user that does not concern one pair or photo: a suspension, a setting, a deletion. Everything that the
 * views say about the user, as a viewer and as an uploader, may be different now. No version: it is published after the
 * commit.
 */
const userTask = z.strictObject({
  type: z.enum(['recency.user.changed', 'recency.user.deleted']),
  user: idSchema,
});

export type Task = TaskOfKind<AnyKind> | z.infer<typeof userTask>;
type TaskType = Task['type'];

/** What a transport may deliver: a site's task, or what consumers tell each other. */
export type DeliveredTask = Task | BulkTask;

const FORMS = [...KINDS.flatMap((kind: Kind) => [relationTask(kind), photoTask(kind)]), userTask];

/** What users follow, as the site has it: of contacts who are no users, equal ids mean nothing. */
type SiteKinds = readonly Pick<Kind, 'singular' | 'areUsers'>[];

/** The field in which a task names its own user as a second one. @param task a whole task, or what may be one */
export function selfNamedIn(task: object, kinds: SiteKinds): string | undefined {
  const fields = task as Readonly<Record<string, unknown>>;
  const isSelf = (field: string) => field in fields && 'user' in fields && fields[field] === fields.user;
  return kinds.find(({ areUsers, singular }) => areUsers && isSelf(singular))?.singular;
}

export function selfProblem(field: string): string {
  return `a user is not a ${field} of their own`;
}

type Forms = [(typeof FORMS)[number], ...(typeof FORMS)[number][]];

const NO_TASK = 'must be a task: an object with a type and ids';
const NO_TYPE = 'is not a type of task; docs/adopting.md names them';

/** A task from a caller who can be told of a mistake at once, such as an unknown field. See also {@link taskSchemaOf}. */
export const taskSchema = z
  .discriminatedUnion('type', FORMS as Forms, {
    error: ({ input }) => (typeof input === 'object' && input !== null ? NO_TYPE : NO_TASK),
  })
  .meta({ id: 'Task' }) as unknown as z.ZodType<Task>;

/** The same, of a site with these kinds: no user is their own contact. */
export function taskSchemaOf(kinds: SiteKinds): z.ZodType<Task> {
  return taskSchema.superRefine((task, context) => {
    const field = selfNamedIn(task, kinds);
    if (field === undefined) return;
    context.addIssue({ code: 'custom', path: [field], message: selfProblem(field) });
  });
}

/** A task from a transport. A newer producer may send unknown fields; they are dropped. */
export const deliveredTaskSchema = z.discriminatedUnion(
  'type',
  [...FORMS, ...BULK_FORMS].map((form) => form.strip()) as unknown as Forms,
) as unknown as z.ZodType<DeliveredTask>;

/** Every type of task that a site publishes. */
export const TASK_TYPES = FORMS.flatMap(({ shape }) => shape.type.options) as readonly TaskType[];

/**
 * What a task says has changed: one relation of a user; the photos of a contact (of whatever the kind follows); or
 * everything about a user.
 */
type TaskMeaning =
  | { readonly of: 'relation'; readonly kind: Kind; readonly user: Id; readonly contact: Id; readonly version?: string }
  | { readonly of: 'photos'; readonly kind: Kind; readonly owner: Id }
  | { readonly of: 'user'; readonly user: Id; readonly isDeleted: boolean };

/** What every task of a type is about. */
interface TypeMeaning {
  readonly of: 'relation' | 'photos';
  readonly kind: Kind;
}

const MEANINGS: ReadonlyMap<string, TypeMeaning> = new Map(
  KINDS.flatMap((kind: Kind): [string, TypeMeaning][] => [
    ...Object.values(kind.relationTasks).map((type): [string, TypeMeaning] => [type, { of: 'relation', kind }]),
    ...Object.values(kind.photoTasks).map((type): [string, TypeMeaning] => [type, { of: 'photos', kind }]),
  ]),
);

/** What tasks of this type are about; undefined: they are about a user, or there is no such type. */
export function meaningOfType(type: string): TypeMeaning | undefined {
  return MEANINGS.get(type);
}

export function meaningOf(task: Task): TaskMeaning {
  const meaning = MEANINGS.get(task.type);
  const fields = task as unknown as Readonly<Record<string, Id>>;
  const { user = '', version } = fields;
  if (meaning === undefined) return { of: 'user', user, isDeleted: task.type === 'recency.user.deleted' };
  const { kind } = meaning;
  if (meaning.of === 'photos') return { of: 'photos', kind, owner: fields[kind.ownerField] ?? '' };
  const contact = fields[kind.singular] ?? '';
  return { of: 'relation', kind, user, contact, ...(version === undefined ? {} : { version }) };
}

/** The largest task body, in bytes. */
export const MAX_TASK_BYTES = 65_536;

/**
 * Kafka's partition key: tasks of one user or uploader stay together, so that they can be coalesced.
 * @returns undefined for a segment: they are spread over all partitions
 */
export function partitionKey(task: DeliveredTask): string | undefined {
  if (isBulkTask(task)) return 'part' in task ? undefined : task.owner;
  const meaning = meaningOf(task);
  return meaning.of === 'photos' ? meaning.owner : meaning.user;
}
