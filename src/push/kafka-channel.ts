import type { Message } from 'kafkajs';
import { isoTime } from '../contracts/http.ts';
import { type KafkaProducer, PartlySent } from '../transport/kafka/producer.ts';
import { bodyOf, type Channel, type DeliveryOutcome, type Notification, typeOf } from './channel.ts';

/** `ce_source` of notifications. */
const SOURCE = '/recency/notify';

/** Records that are on their way at once: while the brokers do not answer, others have failed at once, and webhooks go on. */
const ON_THEIR_WAY = 2_000;

/**
 * Notifications as records of a topic, acknowledged by all replicas: for a site's own pipeline to APNs, FCM or e-mail. The key
 * is the user, so that a user's notifications keep their order; the attributes of the CloudEvent are in headers.
 */
export class KafkaChannel implements Channel {
  readonly #topic: string;
  readonly #producer: Pick<KafkaProducer, 'send' | 'close'>;
  #onTheirWay = 0;

  constructor(topic: string, producer: Pick<KafkaProducer, 'send' | 'close'>) {
    this.#topic = topic;
    this.#producer = producer;
  }

  deliver(notifications: readonly Notification[]): readonly Promise<DeliveryOutcome>[] {
    if (this.#onTheirWay + notifications.length > ON_THEIR_WAY) return notifications.map(async () => SLOW);
    const messages = notifications.map(messageOf);
    this.#onTheirWay += messages.length;
    const sent = this.#producer.send(this.#topic, messages).then(
      () => undefined,
      (error: unknown) => error,
    );
    void sent.then(() => {
      this.#onTheirWay -= messages.length;
    });
    return messages.map((message) => sent.then((error) => outcomeOf(error, message)));
  }

  close(): Promise<void> {
    return this.#producer.close();
  }
}

const SLOW: DeliveryOutcome = { is: 'failed', why: `Kafka is slow: ${ON_THEIR_WAY} records are on their way to it` };

function messageOf(notification: Notification): Message {
  const { id, user, timestamp } = notification;
  return {
    key: user,
    value: JSON.stringify(bodyOf(notification)),
    headers: {
      ce_specversion: '1.0',
      ce_id: id,
      ce_type: typeOf(notification),
      ce_source: SOURCE,
      ce_time: isoTime(timestamp),
      ce_subject: user,
      'content-type': 'application/json',
    },
  };
}

function outcomeOf(error: unknown, message: Message): DeliveryOutcome {
  const own = error instanceof PartlySent ? error.notTaken.get(message) : error;
  if (own === undefined) return { is: 'delivered' };
  return { is: 'failed', why: own instanceof Error ? own.message : String(own) };
}
