import type { Consumer } from 'kafkajs';
import { type Backoff, backoffMs, pause } from '../../timing/loop.ts';
import type { StallDetector } from '../../timing/stall-detector.ts';
import type { GroupHistory, Loss } from '../task-source.ts';
import type { Assignment } from './assignment.ts';
import { permitted } from './errors.ts';
import { type LogEndCheck, lossOfEnds, lostIn } from './log-end-check.ts';
import { type Inspection, inspectOffsets } from './losses.ts';
import { markOf } from './marks.ts';
import type { TopicAdmin } from './topic-admin.ts';

interface PartitionAdmissionOptions {
  readonly consumer: Consumer;
  /** Resolves once the consumer runs. Before that, kafkajs accepts a commit and ignores it. */
  readonly started: Promise<unknown>;
  readonly topic: string;
  readonly group: string;
  readonly admin: TopicAdmin;
  readonly history: GroupHistory;
  readonly expectsOffsets: (hasStarted: boolean) => Promise<boolean>;
  readonly logEnds: LogEndCheck | undefined;
  readonly onLoss: (loss: Loss) => Promise<void>;
  readonly backoff: Backoff;
  readonly progress: StallDetector;
  /** Called after every attempt: with the error that keeps the partitions from being consumed, or with undefined. */
  readonly onFault: (fault: unknown) => Promise<void>;
}

/**
 * Starts consuming the partitions of a new assignment. They are paused first and inspected for losses; they resume once the
 * losses have been reported and the offsets to begin at have been committed. Retries until it succeeds or the assignment
 * ends.
 */
export async function admit(assignment: Assignment, options: PartitionAdmissionOptions): Promise<void> {
  const { consumer, topic, backoff, progress, onFault } = options;
  const topicPartitions = [{ topic, partitions: [...assignment.partitions.keys()] }];
  for (let failures = 0; !assignment.signal.aborted; failures++) {
    try {
      // Before the first await, and thus before the first fetch.
      consumer.pause(topicPartitions);
      const inspection = await inspect(assignment, options);
      if (assignment.signal.aborted) return;
      begin(assignment, inspection);
      void options.logEnds?.watch(assignment);
      await onFault(undefined);
      if (assignment.signal.aborted) return;
      // Includes partitions that this process had paused in an earlier assignment: kafkajs keeps a pause across rebalances.
      return consumer.resume(topicPartitions);
    } catch (error) {
      await onFault(error);
      await pause(backoffMs(failures, backoff), assignment.signal);
    } finally {
      progress.mark();
    }
  }
}

async function inspect(assignment: Assignment, options: PartitionAdmissionOptions): Promise<Inspection> {
  const { admin, group, consumer, started, topic, history, expectsOffsets, logEnds, onLoss } = options;
  const known = await logEnds?.read();
  const hasStarted = await history.hasStarted(); // before the offsets: the consumer that recorded it has committed
  const mine = new Set(assignment.partitions.keys());
  const offsets = await permitted(admin.offsets(group, Math.max(...mine) + 1), 'DESCRIBE', { topic, group });
  if (offsets.filter(({ partition }) => mine.has(partition)).length < mine.size) {
    throw new Error(`the brokers that were asked do not know some partitions of ${topic}`);
  }
  const isWithoutOffset = offsets.some(({ partition, committed }) => mine.has(partition) && committed === undefined);
  const isForeign = offsets.some((one) => mine.has(one.partition) && one.isForeign);
  const inspection = inspectOffsets(
    offsets,
    mine,
    isWithoutOffset && (await expectsOffsets(hasStarted)),
    isForeign && (await permitted(admin.hasFormerMembers(group), 'DESCRIBE', { topic, group })),
  );
  for (const loss of inspection.losses) await onLoss(loss);
  if (logEnds !== undefined && known !== undefined) {
    const lost = lostIn(await permitted(admin.ends(mine), 'DESCRIBE', { topic }), known);
    const loss = lossOfEnds(lost.filter(({ partition }) => !inspection.outOfRange.has(partition)));
    if (loss !== undefined) await onLoss(loss);
    await logEnds.setBack(lost);
  }
  await started;
  const starts = inspection.uncommitted.map((partition) => {
    const offset = String(inspection.starts.get(partition));
    return { topic, partition, offset, metadata: markOf(offset) };
  });
  // kafkajs also fetches from here next.
  if (starts.length > 0 && !assignment.signal.aborted) {
    await permitted(consumer.commitOffsets(starts), 'READ', { topic, group });
  }
  if (!hasStarted && !assignment.signal.aborted) await history.recordStart();
  return inspection;
}

function begin(assignment: Assignment, { starts }: Inspection): void {
  for (const owned of assignment.partitions.values()) owned.next = starts.get(owned.partition);
}
