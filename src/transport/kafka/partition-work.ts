import type { EachBatchPayload } from 'kafkajs';
import type { StallDetector } from '../../timing/stall-detector.ts';
import type { Loss } from '../task-source.ts';
import type { Assignment, OwnedPartition } from './assignment.ts';
import { deliveryOf } from './deliveries.ts';
import type { Gathering } from './gathering.ts';
import type { LogEndCheck } from './log-end-check.ts';
import { findGap } from './losses.ts';
import { BATCH, type Part } from './merged-batches.ts';
import type { Commit } from './merged-commits.ts';
import type { FetchedMessage } from './record-batches.ts';
import type { TopicAdmin } from './topic-admin.ts';

export interface PartitionWork {
  readonly payload: EachBatchPayload;
  readonly assignment: Assignment;
  readonly owned: OwnedPartition;
  readonly batches: Gathering<Part>;
  readonly commits: Gathering<Commit>;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly admin: TopicAdmin;
  readonly logEnds: LogEndCheck | undefined;
  readonly group: string;
  readonly progress: StallDetector;
  /** Between two heartbeats while a handler works, ms. */
  readonly heartbeatMs: number;
  readonly isStopping: () => boolean;
}

/** The handler rejected, or what came before it did: the chunk comes again. What kafkajs throws for a commit is not wrapped. */
export class GivenBack extends Error {
  override readonly name = 'GivenBack';
}

/**
 * Works through what was fetched of one partition, chunk by chunk. A chunk is committed when its handler has resolved.
 * Returns early when the partition is to be given up; what is left then comes again.
 * @throws GivenBack, its cause what the handler threw; what kafkajs throws
 */
export async function workThrough(work: PartitionWork): Promise<void> {
  const { payload, assignment, isStopping } = work;
  // As fetch-response.ts has read them.
  const messages = payload.batch.messages as unknown as FetchedMessage[];
  for (let from = 0; from < messages.length; from += BATCH) {
    if (isStopping() || !payload.isRunning() || payload.isStale() || !assignment.membership.isOpen) return;
    const chunk = messages.slice(from, from + BATCH);
    if (from === 0) await orGivenBack(requireContinuity(work));
    await orGivenBack(handle(chunk, work));
    if (assignment.signal.aborted) return;
    await commit(chunk, from + BATCH >= messages.length, work);
  }
}

async function orGivenBack(pending: Promise<void>): Promise<void> {
  try {
    await pending;
  } catch (error) {
    throw new GivenBack('a batch was given back', { cause: error });
  }
}

/** Nothing behind a loss is delivered before the loss was reported. */
async function requireContinuity(work: PartitionWork): Promise<void> {
  const { payload, assignment, owned, admin, logEnds, group, onLoss } = work;
  const { partition } = owned;
  const first = BigInt(String(payload.batch.messages[0]?.offset));
  const low = async () => (await admin.offsets(group)).find((one) => one.partition === partition)?.low ?? 0n;
  const loss = await findGap(partition, owned.next ?? first, first, low);
  if (loss !== undefined) await onLoss(loss);
  await logEnds?.ofFetch(assignment, partition, BigInt(payload.batch.highWatermark));
  owned.next = first;
  work.progress.mark();
}

async function handle(chunk: readonly FetchedMessage[], work: PartitionWork): Promise<void> {
  const { payload, assignment, owned, batches, progress, heartbeatMs } = work;
  const { topic, partition } = payload.batch;
  const deliveries = chunk.map((message) => deliveryOf(message, topic, partition));
  const renew = async () => {
    await assignment.membership.beat(payload.heartbeat);
    progress.mark();
    assignment.membership.requireHeld(String(deliveries[0]?.position));
  };
  // A fan-out may take longer than a session. A handler that hangs in a source that has ended keeps nothing.
  const background = setInterval(() => {
    if (!assignment.signal.aborted) void assignment.membership.beat(payload.heartbeat);
  }, heartbeatMs / 3);
  try {
    await batches.add({ deliveries, lease: { renew }, isSuspect: owned.failures > 0 });
  } finally {
    clearInterval(background);
    progress.mark();
  }
}

/** Of the last chunk, the end of what was fetched is committed: control records after it are never delivered. */
async function commit(chunk: readonly FetchedMessage[], isLast: boolean, work: PartitionWork): Promise<void> {
  const { payload, assignment, owned, commits, progress } = work;
  const { partition } = payload.batch;
  const { signal } = assignment;
  const lastOffset = String(chunk.at(-1)?.offset);
  const next = BigInt(isLast ? payload.batch.lastOffset() : lastOffset) + 1n;
  await commits.add({ partition, offset: next.toString(), payload, signal });
  payload.resolveOffset(lastOffset);
  owned.next = next;
  owned.failures = 0;
  progress.mark();
  await assignment.membership.beat(payload.heartbeat);
}
