/** Why a question about a group failed. kafkajs looks for the group's coordinator and does not say why it found none. */
import { createKafka, type KafkaSettings } from './client.ts';
import { isWithoutCoordinator, missingPermission } from './errors.ts';
import { TopicReader } from './topic-reader.ts';

/** Whom the question was about. */
export interface AskedGroup {
  readonly kafka: KafkaSettings;
  readonly topic: string;
  readonly group: string;
}

/** The permission that is missing, where that is why kafkajs found no coordinator; otherwise the fault itself. */
export async function explainedFault(fault: unknown, { kafka, topic, group }: AskedGroup): Promise<unknown> {
  if (!isWithoutCoordinator(fault)) return fault;
  const reader = new TopicReader(createKafka(kafka), topic);
  const reason = await reader.findCoordinator(group).catch((error: unknown) => error);
  await reader.close().catch(() => undefined); // only the reason counts
  return missingPermission(reason, 'DESCRIBE', { topic, group }) ?? fault;
}

/** Waits for a question about the group. @throws KafkaPermissionMissing if it may not be asked; otherwise its own error */
export async function permittedOnGroup<T>(question: Promise<T>, asked: AskedGroup): Promise<T> {
  try {
    return await question;
  } catch (error) {
    throw missingPermission(error, 'DESCRIBE', asked) ?? (await explainedFault(error, asked));
  }
}
