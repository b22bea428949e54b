import type { Logger } from 'pino';
import type { Recorded } from '../mysql/epoch.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Epoch } from './contact-index.ts';

/** The Redis masters that a process is connected to, and that are on record. */
export interface MastersOnRecord {
  /** The number of the latest connection. */
  readonly connection: number;
  /** See `RedisMaster`. */
  readonly replicationIds: readonly string[];
  /** The epoch in which they are. Whenever others take their place, another one begins. */
  readonly epoch: Epoch;
  /** The id under which their indexes belong to this MySQL (see ownership.ts); undefined: they have no indexes. */
  readonly ownership: string | undefined;
}

interface Comparing {
  /** Undefined: not all of them are known to be. */
  readonly known: () => MastersOnRecord | undefined;
  /** @throws RedisUnavailable when they are not on record */
  readonly compare: () => Promise<void>;
  /** The id that Redis has now. @throws RedisUnavailable */
  readonly ownership: () => Promise<string | undefined>;
  /** How often another server of MySQL has answered than before. */
  readonly switches: () => number;
  /** The epoch that was in force at some moment since then (`performance.now()`). */
  readonly epochSince: (time: number) => Promise<Epoch>;
}

/**
 * Does work on Redis that counts only where it is on record. What was written elsewhere is missing in the indexes that answer,
 * and so is what was written to a server that another one had replaced by then: its indexes may have been built before.
 * So Redis must have been on record since the work began, and must have been the same throughout. If another one came on record after
 * that moment, its indexes were built later than the change that the work is about. The same holds for what it contains: its
 * indexes must have belonged to this MySQL, under one id, before and after. And MySQL must have been one server: another one may
 * have said that there is nothing to write.
 * @throws RedisUnavailable when it was not: the work must be done again; DatabaseUnavailable; what the work throws
 */
export async function whileOnRecord<T>(work: () => Promise<T>, comparing: Comparing): Promise<T> {
  const { known, compare, ownership, switches, epochSince } = comparing;
  if (known() === undefined) await compare();
  const before = known();
  const isSame = async () => (await ownership()) === before?.ownership;
  const [switchesBefore, begunAt] = [switches(), performance.now()];
  // Asked beside the work: on one connection, Redis answers it before anything that the work sends.
  const wasSame = isSame().catch(() => false); // the comparison says why
  const result = await work();
  const wasUnchanged = await wasSame;
  if (!wasUnchanged || (await epochSince(begunAt)) !== known()?.epoch || !(await isSame())) await compare();
  const after = known();
  const isOneServer = switches() === switchesBefore;
  if (wasUnchanged && isOneServer && after !== undefined && isLike(after, before)) return result;
  throw new RedisUnavailable(
    'Redis or MySQL was another server, or not known to be the one on record, while Redis was written to',
  );
}

function isLike(after: MastersOnRecord, before: MastersOnRecord | undefined): boolean {
  return after.connection === before?.connection && after.ownership === before.ownership;
}

/** Says what a comparison has found. @param to `onNewEpoch` is called when every index is cold now */
export function reportRecorded(
  server: 'MySQL' | 'Redis',
  recorded: Recorded,
  { logger, onNewEpoch }: { readonly logger: Logger; readonly onNewEpoch?: () => void },
): void {
  if (recorded === 'suspended') {
    logger.error({ server }, `another ${server} than before; the epoch is suspended, no index is trusted`);
  }
  if (recorded !== 'new_epoch') return;
  logger.error({ server }, `another ${server} than before: a new epoch, every index is cold`);
  onNewEpoch?.();
}
