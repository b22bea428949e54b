import { isSystemError } from '../../contracts/system-error.ts';
import { UserError } from '../../contracts/user-error.ts';

/** Classifies what kafkajs throws, by its fields: kafkajs does not export all of its error classes. */

/** Kafka did not confirm the messages. Some may have been written all the same. */
export class KafkaUnavailable extends UserError {
  override readonly name = 'KafkaUnavailable';

  override get kind() {
    return 'unavailable' as const;
  }

  override get remedy() {
    return 'Check that the brokers are running; `recency doctor` says more.';
  }
}

/** An address leads to another cluster of Kafka than the one that this process works on. */
export class OtherKafkaCluster extends UserError {
  override readonly name = 'OtherKafkaCluster';

  override get remedy() {
    return (
      'Lead RECENCY_KAFKA_BROKERS of every process to one cluster. To use another one, stop every process, run `recency config adopt` with ' +
      'its addresses, and start them again.'
    );
  }
}

interface KafkaError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** An error of kafkajs's own. */
export function isOfKafkajs(error: Error): boolean {
  return error.name.startsWith('KafkaJS');
}

/** kafkajs calls these not retriable, yet they occur when a broker restarts. */
const PASSING = new Set([
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSTimeout',
  'KafkaJSLockTimeout',
  'TokenUnavailable',
]);

/** The message of a plain Error when a broker has just closed the connection. */
const NOT_CONNECTED = 'Broker not connected';

/** Will the error pass by itself (a broker is unavailable, restarts or elects)? If not, somebody has to fix something. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message === NOT_CONNECTED || PASSING.has(error.name) || isRebalance(error) || isFenced(error)) return true;
  if (isSystemError(error)) return true;
  const { cause, retriable, errors = [] } = error as KafkaError;
  if (errors.length > 0) return errors.every(isPassing); // one for each topic, or partition
  return cause === undefined ? retriable === true : isPassing(cause);
}

/** Did kafkajs find no coordinator for the group, for whatever reason? */
export function isWithoutCoordinator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSGroupCoordinatorNotFound' || isWithoutCoordinator(error.cause);
}

/** Is the group rebalancing? Until this member joins again, it still owns its partitions. */
export function isRebalance(error: unknown): error is Error {
  return (error as KafkaError | null)?.type === 'REBALANCE_IN_PROGRESS';
}

const FENCED = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);

/** Has the group moved on without this member? Its partitions then belong to others. */
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

/** Will Kafka never take this request, because of one of its messages, or because together they are too large? */
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

/** Is a group's coordinator or a partition's leader being elected, because it is new or moves to another broker? */
export function isElecting(error: unknown): boolean {
  return ELECTING.has((error as KafkaError | null)?.type ?? '');
}

/** Does a topic not exist, or not yet on every broker? */
export function isOfMissingTopic(error: unknown): boolean {
  const { type = '', cause } = (error ?? {}) as KafkaError;
  return type === 'UNKNOWN_TOPIC_OR_PARTITION' || (cause !== undefined && isOfMissingTopic(cause));
}

/** The brokers refuse an operation that an operator has to allow. The message names the permission. */
export class KafkaPermissionMissing extends UserError {
  override readonly name = 'KafkaPermissionMissing';
}

/** ACL operations, as the brokers check them. */
type KafkaOperation = 'CREATE' | 'DESCRIBE' | 'READ' | 'WRITE';

const FORBIDDEN: Readonly<Record<string, 'topic' | 'group' | 'cluster'>> = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
};

/** @param operation that was attempted @returns undefined if the error is not about permissions */
export function missingPermission(
  error: unknown,
  operation: KafkaOperation,
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

/** Waits for an attempt. @throws KafkaPermissionMissing if it failed for lack of a permission; otherwise its own error */
export async function permitted<T>(
  attempt: Promise<T>,
  operation: KafkaOperation,
  names: { readonly topic: string; readonly group?: string },
): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    throw missingPermission(error, operation, names) ?? error;
  }
}
