import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ServerAway, StartError, tlsStartError } from '../config/start-error.ts';
import { tlsMaterial } from '../config/tls.ts';
import type { Lane } from '../contracts/bulk-task.ts';
import { UserError } from '../contracts/user-error.ts';
import { KafkaEnds } from '../mysql/kafka-ends.ts';
import { groupHistory } from '../mysql/settings.ts';
import { retry } from '../timing/loop.ts';
import { createKafka, type KafkaSettings } from '../transport/kafka/client.ts';
import { KafkaDeadLetters } from '../transport/kafka/dead-letters.ts';
import { kafkaBarrier, kafkaPositions, strictKafkaBarrier } from '../transport/kafka/drain-barrier.ts';
import { isElecting, isPassing, missingPermission, permitted } from '../transport/kafka/errors.ts';
import { oauthTokens } from '../transport/kafka/oauth-token.ts';
import { isWaitingAt, KafkaTaskPublisher } from '../transport/kafka/publisher.ts';
import { KafkaTaskSource } from '../transport/kafka/source.ts';
import { BULK_PARTITIONS, DEFAULT_PARTITIONS, deadLetterTopic, TopicAdmin } from '../transport/kafka/topic-admin.ts';
import { permittedOnGroup } from '../transport/kafka/topic-reader.ts';
import { SettledDeadLetters } from '../transport/settled-dead-letters.ts';
import { TracedPublisher } from '../transport/traced-publisher.ts';
import type { Transport } from '../transport/transport.ts';
import { kafkaLocation, knownLocation, requireSameCluster } from './kafka-location.ts';
import type { TransportOpening } from './transport-opening.ts';

/** @param name name of the process, for the brokers' logs */
export function kafkaSettings(config: Config, name: string, logger: Logger): KafkaSettings {
  return {
    brokers: config.kafkaBrokers,
    clientId: `recency-${name}`,
    connectTimeoutMs: config.connectTimeoutMs,
    requestTimeoutMs: config.kafkaTimeoutMs,
    logger,
    security: kafkaSecurity(config),
  };
}

export function openKafkaTransport(
  { config, name, logger, primary, cluster }: TransportOpening,
  lane: Lane,
): Transport {
  const { topic, kafkaGroup: group, kafkaTimeoutMs: deadlineMs } = config;
  const kafka = { ...kafkaSettings(config, name, logger), cluster };
  const hasDeadLetters = lane === 'small'; // what fails in the bulk lane goes to the same ones
  const admin = new TopicAdmin(createKafka(kafka), topic, hasDeadLetters);
  const offsets = () => permittedOnGroup(admin.offsets(group), { kafka, topic, group });
  const ends = () => admin.ends();
  const recorded = new KafkaEnds(primary, topic);
  const history = groupHistory(primary, `kafka:${topic}:${group}`);
  const partitions = lane === 'bulk' ? BULK_PARTITIONS : DEFAULT_PARTITIONS;
  return {
    ...waits({ config, cluster }, admin, partitions),
    openPublisher: () =>
      new TracedPublisher(new KafkaTaskPublisher({ kafka, topic, partitions, deadlineMs, ends: recorded }), {
        system: 'kafka',
        name: topic,
      }),
    openDeadLetters: () => {
      const letters = new KafkaDeadLetters({ kafka, topic, deadlineMs, ends: recorded });
      return new SettledDeadLetters({
        letters,
        database: primary,
        place: `kafka:${deadLetterTopic(topic)}`,
        areContactsUsers: config.separateIds !== 'true',
      });
    },
    openSource: ({ doIndexesExist, ...sizes }) => {
      const expectsOffsets = async (hasStarted: boolean) => {
        // A new group reads the topic from its beginning, of which some may have been deleted.
        const hasMissed = !hasStarted && (await admin.offsets(group)).some(({ low }) => low > 0n);
        return (hasStarted || hasMissed) && (await doIndexesExist());
      };
      return new KafkaTaskSource({
        ...{ kafka, topic, partitions, group, history, expectsOffsets, ends: recorded, hasDeadLetters },
        sessionTimeoutMs: config.takeoverMs,
        ...sizes,
      });
    },
    barrier: kafkaBarrier(offsets, ends),
    strictBarrier: strictKafkaBarrier({
      ...{ offsets, readEnds: ends, readRecorded: () => recorded.read(), hasStarted: () => history.hasStarted() },
      explainsForeign: () => admin.hasFormerMembers(group),
    }),
    isWaiting: async (place) => isWaitingAt(place, await offsets()),
    positions: kafkaPositions({ topic, group }, offsets),
    lag: () => ifKnown(admin.lag(group)),
    consumers: () => ifKnown(admin.members(group)),
    answers: () => permitted(admin.answers(), 'DESCRIBE', { topic }),
    location: () => kafkaLocation(admin, cluster),
    close: () => admin.close(),
  };
}

/** No topic is created on a cluster that is not the other processes'. */
function waits(
  opening: Pick<TransportOpening, 'config' | 'cluster'>,
  admin: TopicAdmin,
  partitions: number,
): Pick<Transport, 'untilAnswers' | 'untilReady'> {
  return {
    untilAnswers: (signal, withinMs) => untilDone(() => admin.reach(), opening, signal, withinMs),
    untilReady: (signal, withinMs, admit) => {
      const prepare = async () => {
        await admin.reach();
        await admit?.(knownLocation(opening.cluster) ?? new Map());
        await admin.ensureTopics(partitions);
      };
      return untilDone(prepare, opening, signal, withinMs);
    },
  };
}

const BETWEEN_TRIES_MS = 250;

/** Tries until it succeeds, while Kafka is unavailable. @throws ServerAway, StartError, what is not of Kafka */
async function untilDone(
  attempt: () => Promise<void>,
  { config, cluster }: Pick<TransportOpening, 'config' | 'cluster'>,
  signal: AbortSignal,
  withinMs = config.startTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  const address = config.kafkaBrokers.join(',');
  const onFailure = (error: unknown) => {
    signal.throwIfAborted();
    requireSameCluster(cluster); // kafkajs may have made another error of it
    const tlsError = tlsStartError(error, { kind: 'Kafka', address, setting: 'RECENCY_KAFKA_BROKERS' });
    if (tlsError !== undefined) throw tlsError;
    if (error instanceof UserError) throw error;
    if (!isPassing(error) || performance.now() > deadline) throw explain(error, config);
    return BETWEEN_TRIES_MS;
  };
  await retry(attempt, { signal, onFailure });
}

function explain(error: unknown, { kafkaBrokers, topic }: Config): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  const brokers = kafkaBrokers.join(',');
  if (isElecting(error) || (error instanceof Error && isElecting(error.cause))) {
    const message = `Kafka at ${brokers} is not ready: ${reason}. Start the brokers that are down.`;
    return new ServerAway(message, { cause: error });
  }
  if (isPassing(error)) {
    const fix =
      'Start Kafka, set RECENCY_KAFKA_BROKERS to its address, or use Redis instead: RECENCY_TRANSPORT=streams.';
    return new ServerAway(`No Kafka broker answers at ${brokers} (${reason}). ${fix}`, { cause: error });
  }
  const denied = deniedTopic(error, topic);
  if (denied !== undefined) return new StartError(denied, { cause: error });
  const signIn = signInFailure(error);
  if (signIn !== undefined) {
    const fix = 'Fix RECENCY_KAFKA_SASL, RECENCY_KAFKA_USER and RECENCY_KAFKA_PASSWORD, or the token.';
    return new StartError(`Kafka at ${brokers} refuses the sign-in: ${signIn}. ${fix}`, { cause: error });
  }
  return new StartError(
    `Kafka at ${brokers} could not be asked for the topics ${topic} and ${topic}.dlq, or could not create them: ${reason}.`,
    { cause: error },
  );
}

/** A topic that a user may not describe seems to be missing, and creating it is then refused as well. */
function deniedTopic(error: unknown, topic: string): string | undefined {
  if (missingPermission(error, 'CREATE', { topic }) === undefined) return undefined;
  const what = `Kafka does not allow DESCRIBE on the topic "${refusedTopic(error) ?? topic}" to this user`;
  return `${what}: add an ACL that does. Or the topic does not exist and CREATE is not allowed: create it.`;
}

/** The topic that was refused, from the error of one topic or of several. */
function refusedTopic(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('topic' in error) return String(error.topic);
  const [first] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return refusedTopic(first) ?? refusedTopic(error.cause);
}

/** Brokers refuse a second sign-in within a second, and connections sign in again after half of a short session. */
const SESSION_TOO_SHORT =
  'its sessions are too short (connections.max.reauth.ms must be 3000 or more, and a token last as long)';

/** Why the brokers refuse this user. It holds neither password nor token. */
function signInFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'KafkaJSSASLAuthenticationError' || error.name === 'TokenUnavailable') return error.message;
  if ('type' in error && error.type === 'ILLEGAL_SASL_STATE') return SESSION_TOO_SHORT;
  return signInFailure(error.cause);
}

/** @returns undefined when the number cannot be read now, for example while a new topic has no leaders */
async function ifKnown(asked: Promise<number>): Promise<number | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}

/** TLS and sign-in of every broker. All connections of a process share one token provider, and so its tokens. */
function kafkaSecurity(config: Config): NonNullable<KafkaSettings['security']> {
  const { kafkaTlsCa: ca, kafkaTlsCert: cert, kafkaTlsKey: key } = config;
  const sasl = saslOf(config);
  return {
    ...(config.kafkaTls === 'on' ? { ssl: tlsMaterial({ ca, cert, key }) } : {}),
    ...(sasl === undefined ? {} : { sasl }),
  };
}

type Sasl = NonNullable<KafkaSettings['security']>['sasl'];

function saslOf(config: Config): Sasl {
  const { kafkaSasl: mechanism, kafkaUser: username = '', kafkaPassword: password = '' } = config;
  if (mechanism === 'off') return undefined;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password } as NonNullable<Sasl>;
  const { kafkaOauthTokenFile: file, kafkaOauthTokenCommand: command = '' } = config;
  return { mechanism, oauthBearerProvider: oauthTokens(file === undefined ? { command } : { file }) };
}
