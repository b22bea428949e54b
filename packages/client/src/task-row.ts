import type { Task } from './api-types.ts';
import { InvalidArgument } from './errors.ts';
import type { FreshToken } from './fresh.ts';
import { checkId, checkVersion, type Id, shown } from './id.ts';

/** A row of `recency_outbox`: the columns that a site writes. */
export interface OutboxRow {
  readonly type: Task['type'];
  readonly user_id: Id;
  readonly other_id: Id | null;
  /** ms since 1970 UTC. */
  readonly at: number | null;
  readonly version: string | null;
}

interface Shape {
  /** The field that becomes `user_id`. */
  readonly first: string;
  /** The field that becomes `other_id`, if there is one. */
  readonly second?: string;
  readonly secondIsRequired?: boolean;
  readonly last?: 'version' | 'at';
  /** The kind of the one who is followed, and the field with their id. */
  readonly followed: readonly [kind: string, field: string];
  /** The field with the user whose own change this is. */
  readonly reader?: string;
}

const CONTACT: Shape = {
  ...{ first: 'user', second: 'contact', secondIsRequired: true, last: 'version' },
  followed: ['contact', 'contact'],
  reader: 'user',
};
const GROUP: Shape = {
  ...{ first: 'user', second: 'group', secondIsRequired: true, last: 'version' },
  followed: ['group', 'group'],
  reader: 'user',
};
const PHOTO: Shape = { first: 'owner', second: 'photo', last: 'at', followed: ['contact', 'owner'] };
const GROUP_PHOTO: Shape = { first: 'group', second: 'photo', last: 'at', followed: ['group', 'group'] };
const USER: Shape = { first: 'user', followed: ['contact', 'user'] };

/** Every type of the API has to be here, or this does not compile. */
const SHAPES: Readonly<Record<Task['type'], Shape>> = {
  'recency.contact.added': CONTACT,
  'recency.contact.removed': CONTACT,
  'recency.contact.changed': CONTACT,
  'recency.photo.uploaded': PHOTO,
  'recency.photo.deleted': PHOTO,
  'recency.photo.visibility_changed': PHOTO,
  'recency.group.joined': GROUP,
  'recency.group.left': GROUP,
  'recency.group.changed': GROUP,
  'recency.group_photo.added': GROUP_PHOTO,
  'recency.group_photo.removed': GROUP_PHOTO,
  'recency.group_photo.visibility_changed': GROUP_PHOTO,
  'recency.user.changed': USER,
  'recency.user.deleted': USER,
};

/** What is known of the site's ids. */
export interface SiteIds {
  /**
   * Users and contacts have ids of their own, so that one may have a contact with one's own number: RECENCY_SEPARATE_IDS of the
   * server (false).
   */
  readonly separateIds?: boolean | undefined;
}

/**
 * The row that stands for a task. What it refuses would become a dead letter once the transaction has committed.
 * @throws InvalidArgument
 */
export function rowOf(task: Task, { separateIds = false }: SiteIds = {}): OutboxRow {
  const row = columnsOf(task);
  if (!separateIds && 'contact' in task && row.user_id === row.other_id) {
    throw new InvalidArgument('contact', 'is the user: nobody is a contact of their own, unless separateIds is set');
  }
  return row;
}

/** @throws InvalidArgument */
function columnsOf(task: Task): OutboxRow {
  const { first, second, secondIsRequired = false, last } = shapeOf(task);
  checkFields(task, ['type', first, second, last]);
  const fields: Readonly<Record<string, unknown>> = task;
  const { version, at } = fields;
  const other = second === undefined ? undefined : fields[second];
  return {
    type: task.type,
    user_id: checkId(first, fields[first]),
    other_id: second === undefined || (other === undefined && !secondIsRequired) ? null : checkId(second, other),
    at: at === undefined ? null : checkTimeOfPhoto(at),
    version: version === undefined ? null : checkVersion('version', version),
  };
}

/** The pair that shows this change in a read of somebody who follows the one whom the task speaks of. */
export function tokenOfTask(task: Task): FreshToken {
  const { followed, last } = shapeOf(task);
  const { other_id, user_id, version } = columnsOf(task);
  const [kind, field] = followed;
  const id = field === shapeOf(task).first ? user_id : other_id;
  return `${kind}=${id}${last === 'version' && version !== null ? `@${version}` : ''}`;
}

/** The user whose own change the task reports, and the pair that shows it to them; undefined: it is nobody's alone. */
export function readerOf(task: Task): { readonly user: Id; readonly token: FreshToken } | undefined {
  const { reader } = shapeOf(task);
  return reader === undefined ? undefined : { user: columnsOf(task).user_id, token: tokenOfTask(task) };
}

/** @throws InvalidArgument */
function shapeOf({ type }: Task): Shape {
  if (Object.hasOwn(SHAPES, type)) return SHAPES[type];
  throw new InvalidArgument('type', `is ${shown(type)}, not one of ${Object.keys(SHAPES).join(', ')}`);
}

/** A misspelt field would be lost without a word. @throws InvalidArgument */
function checkFields({ type, ...fields }: Task, known: readonly (string | undefined)[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidArgument(unknown, `is no field of ${type}`);
}

/** @throws InvalidArgument */
function checkTimeOfPhoto(at: unknown): number {
  if (typeof at === 'number' && Number.isSafeInteger(at) && at >= 0) return at;
  throw new InvalidArgument('at', `is ${shown(at)}: a time is whole ms since 1970 UTC`);
}
