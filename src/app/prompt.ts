import type { Database } from '../mysql/database.ts';
import { ReplicaWaits } from '../mysql/replica-waits.ts';
import { ApplyNow } from '../query/apply-now.ts';
import { FreshReads } from '../query/fresh-reads.ts';
import { type RefreshedKind, RefreshNow } from '../query/refresh-now.ts';
import type { ProcessContext } from './run-process.ts';

/**
 * Waits for the replica take at most half of its connections, and each at most half of the time that a statement may take:
 * otherwise the statement would be late, and nobody would ask the primary. Its first fault is logged, all are counted.
 */
export function openReplicaWaits(
  { config, logger }: Pick<ProcessContext, 'config' | 'logger'>,
  replica: Database,
): ReplicaWaits {
  let isLogged = false;
  return new ReplicaWaits(replica, {
    waitMs: Math.min(config.mysqlReplicaWaitMs, config.mysqlTimeoutMs / 2),
    atOnce: Math.floor(config.mysqlConnections / 2),
    onFault: (err) => {
      logger[isLogged ? 'debug' : 'warn']({ err }, 'the replica cannot say which GTIDs it has; the primary answers');
      isLogged = true;
    },
  });
}

interface PromptSources {
  /** Those in use. */
  readonly kinds: readonly RefreshedKind[];
  readonly primary: Database;
  /** Is this Redis the one on record? */
  readonly isTrusted: () => boolean;
  /** Called when a task could not be applied at once because of a store. */
  readonly onFault: (error: unknown) => void;
}

const now = () => performance.now();

/** What shows or applies named changes at once. @param waits undefined: the API reads the primary */
export function promptOn(
  { kinds, primary, isTrusted, onFault }: PromptSources,
  waits?: Pick<ReplicaWaits, 'after'>,
): { fresh: FreshReads; applyNow: ApplyNow } {
  const refreshNow = new RefreshNow({ kinds: kinds.map(({ kind, steps }) => ({ kind, steps })), isTrusted, now });
  const fresh = new FreshReads({ refreshNow, replica: waits && { primary, waits }, now });
  return { fresh, applyNow: new ApplyNow({ refreshNow, onFault }) };
}
