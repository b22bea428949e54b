import { UserError } from '../../contracts/user-error.ts';

/** What kafkajs throws, told apart. It exports its classes, yet not every one, so the fields are asked. */

/** Kafka did not take the messages. Some may be there all the same. */
export class KafkaUnavailable extends UserError {
  override readonly name = 'KafkaUnavailable';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'Check that the brokers are running; `recency doctor` says more.';
  }
}

interface KafkaError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
  readonly cause?: unknown;
}

/** Not retriable to kafkajs, and yet what a broker's restart looks like. */
const PASSING = new Set([
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSTimeout',
  'KafkaJSLockTimeout',
  'TokenUnavailable',
]);

/** Said without a class when a broker, or what is taken for one, has closed the connection just now. */
const NOT_CONNECTED = 'Broker not connected';

/** Will it pass by itself: a broker that is away, restarts or elects? Otherwise somebody has to fix something. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message === NOT_CONNECTED || PASSING.has(error.name) || isRebalance(error) || isFenced(error)) return true;
  const { cause, retriable } = error as KafkaError;
  return cause === undefined ? retriable === true : isPassing(cause);
}

/** Did kafkajs find no coordinator for the group, whatever the reason? */
export function isWithoutCoordinator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSGroupCoordinatorNotFound' || isWithoutCoordinator(error.cause);
}

/** The group is about to share out its partitions anew; until this member has joined again, its own are still its own. */
export function isRebalance(error: unknown): error is Error {
  return (error as KafkaError | null)?.type === 'REBALANCE_IN_PROGRESS';
}

const FENCED = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);

/** The group has gone on without this member: its partitions belong to others. */
export function isFenced(error: unknown): error is Error {
  return FENCED.has((error as KafkaError | null)?.type ?? '');
}

const REFUSED = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'CORRUPT_MESSAGE',
]);

/** A message among those of the request is at fault, and would be on any day; or all of them together are too large. */
export function isRefusal(error: unknown): boolean {
  const { type = '', cause } = (error ?? {}) as KafkaError;
  return REFUSED.has(type) || (cause !== undefined && isRefusal(cause));
}

const ELECTING = new Set([
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
]);

/**
 * The broker that looks after a group, or leads a partition, is just being chosen, as when either is new, or moves to
 * another.
 */
export function isElecting(error: unknown): boolean {
  return ELECTING.has((error as KafkaError | null)?.type ?? '');
}

/** The brokers refuse something that an operator has to allow. The message names the permission. */
export class KafkaPermissionMissing extends UserError {
  override readonly name = 'KafkaPermissionMissing';
}

/** What READ is not enough to see, and so on: what is asked for is what the brokers check. */
export type Operation = 'CREATE' | 'DESCRIBE' | 'READ' | 'WRITE';

const FORBIDDEN: Readonly<Record<string, 'topic' | 'group' | 'cluster'>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
};

/** @param operation that was attempted @returns undefined when the error says nothing of permissions */
export function missingPermission(
  error: unknown,
  operation: Operation,
  names: { readonly topic: string; readonly group?: string },
): KafkaPermissionMissing | undefined {
  if (error instanceof KafkaPermissionMissing) return error;
  const kind = refusedKind(error);
  if (kind === undefined) return undefined;
  const name = kind === 'cluster' ? '' : ` "${kind === 'group' ? names.group : names.topic}"`;
  const message = `Kafka does not allow ${operation} on the ${kind}${name} to this user: add an ACL that allows it`;
  return new KafkaPermissionMissing(message, { cause: error });
}

function refusedKind(error: unknown): 'topic' | 'group' | 'cluster' | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type = '', cause } = error as KafkaError;
  const [first] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return FORBIDDEN[type] ?? refusedKind(cause) ?? refusedKind(first);
}

/** Names the permission when that is why it fails. */
export async function permitted<T>(
  attempt: Promise<T>,
  operation: Operation,
  names: { readonly topic: string; readonly group?: string },
): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    throw missingPermission(error, operation, names) ?? error;
  }
}
