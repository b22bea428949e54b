import { type Checks, fine, problem, type Verdict, warning } from '../health/finding.ts';
import { createKafka, type KafkaSettings } from '../transport/kafka/client.ts';
import {
  type ClusterState,
  type KafkaLane,
  type LaneState,
  readClusterState,
  type TopicState,
} from '../transport/kafka/cluster-state.ts';
import { isOfMissingTopic } from '../transport/kafka/errors.ts';
import { BYTES_A_REQUEST } from '../transport/kafka/sending.ts';
import { deadLetterTopic } from '../transport/kafka/topic-admin.ts';
import { permittedOnGroup } from '../transport/kafka/topic-reader.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Bytes of the largest task, its headers, and what a dead letter adds. */
const LARGEST_MESSAGE = 100_000;

type Judge = (value: string, topic: TopicState, state: ClusterState) => Verdict;

/** How the brokers keep the topics, and whether consumers run. Nothing is written. @param lanes the small one, and then others */
export async function kafkaChecks(kafka: KafkaSettings, lanes: readonly [KafkaLane, ...KafkaLane[]]): Promise<Checks> {
  const read = permittedOnGroup(readClusterState(createKafka(kafka), lanes), { kafka, ...lanes[0] });
  const failure = await read.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (failure === undefined) return checksOf(await read);
  // One finding instead of one for each check.
  return { topics: async () => (isOfMissingTopic(failure.error) ? missingVerdict(lanes) : ((await read) as never)) };
}

function missingVerdict([small, ...others]: readonly [KafkaLane, ...KafkaLane[]]): Verdict {
  const names = [small.topic, ...others.map(({ topic }) => topic), deadLetterTopic(small.topic)];
  const what = `not all of the topics ${names.join(', ')} exist`;
  return warning(what, 'The first process that starts creates them, unless its account may not: then create them.');
}

/** The checks of a state that has been read. */
export function checksOf(state: ClusterState): Checks {
  const setting = (name: string, judge: Judge) => async () => settingVerdict(name, state, judge);
  return {
    consumers: async () => all(state.lanes.map(consumersVerdict)),
    transactions: async () => all(state.lanes.map(transactionsVerdict)),
    partitions: async () => each(state, partitionsVerdict),
    'replication factor': async () => each(state, replicationVerdict),
    'min.insync.replicas': setting('min.insync.replicas', insyncVerdict),
    'cleanup.policy': setting('cleanup.policy', cleanupVerdict),
    'retention.ms': setting('retention.ms', retentionVerdict),
    'retention.bytes': setting('retention.bytes', retentionBytesVerdict),
    'max.message.bytes': setting('max.message.bytes', sizeVerdict),
    'compression.type': setting('compression.type', compressionVerdict),
  };
}

function consumersVerdict({ group, members, lag }: LaneState): Verdict {
  const waiting = lag === undefined ? 'the number of waiting tasks is not known now' : `${lag} tasks wait`;
  const text = `${members === 0 ? 'no consumer' : members} in the group ${group}, ${waiting}`;
  if (members > 0) return fine(text);
  const verdict = lag === 0 || lag === undefined ? warning : problem;
  return verdict(
    text,
    'Start `recency consume` with this RECENCY_KAFKA_GROUP; with `--lanes` it takes from one lane alone.',
  );
}

function transactionsVerdict({ tasks, heldBack }: LaneState): Verdict {
  if (heldBack === undefined) return warning(`${tasks.topic}: not known now`, 'Every partition needs a leader first.');
  if (heldBack.length === 0) return fine(`${tasks.topic}: none holds back messages`);
  const text = heldBack.map(
    ({ partition, from, messages }) =>
      `${tasks.topic}, partition ${partition}: ${messages} messages wait behind one open since ${from}`,
  );
  return warning(
    text.join('; '),
    'The producer must end it, or the brokers do after its transaction.timeout.ms. For one that stays: ' +
      '`kafka-transactions.sh find-hanging`, then `abort`.',
  );
}

function partitionsVerdict({ partitions }: TopicState): Verdict {
  const names = (some: TopicState['partitions']) => some.map(({ partition }) => partition).join(', ');
  const leaderless = partitions.filter(({ leader }) => leader === undefined);
  if (leaderless.length > 0) {
    return problem(`without a leader: ${names(leaderless)}`, 'Start the brokers that hold them.');
  }
  const behind = partitions.filter(({ inSync, replicas }) => inSync < replicas);
  if (behind.length === 0) return fine(`${partitions.length}, all in sync`);
  return warning(`replicas not in sync: ${names(behind)}`, 'Are all brokers running? Their logs say what is wrong.');
}

const replicasOf = ({ partitions }: TopicState) => Math.min(...partitions.map(({ replicas }) => replicas));

function replicationVerdict(topic: TopicState, { brokers }: ClusterState): Verdict {
  const replicas = replicasOf(topic);
  if (replicas > 1) return fine(String(replicas));
  if (brokers === 1) return fine('1, and there is one broker');
  return warning(
    `1, and there are ${brokers} brokers: what one of them loses is lost`,
    'Raise it to 3: `kafka-reassign-partitions.sh`.',
  );
}

function insyncVerdict(value: string, topic: TopicState): Verdict {
  const [least, replicas] = [Number(value), replicasOf(topic)];
  const set = (to: number) => alter(topic, `min.insync.replicas=${to}`);
  if (least > replicas) return problem(`${least} of ${replicas} replicas: nothing is accepted`, set(replicas));
  if (replicas > 1 && least === replicas) {
    return warning(`${least} of ${replicas} replicas: nothing is accepted while one is unavailable`, set(replicas - 1));
  }
  if (replicas > 2 && least === 1) {
    return warning(`1 of ${replicas} replicas: what the others have not copied may be lost with it`, set(2));
  }
  return fine(`${least} of ${replicas}`);
}

/** Compaction keeps one message of each key and drops those without a key; tasks of one user share a key. */
function cleanupVerdict(value: string, topic: TopicState): Verdict {
  if (!value.includes('compact')) return fine(value);
  return problem(`${value}: compaction removes tasks that were not consumed`, alter(topic, 'cleanup.policy=delete'));
}

function retentionVerdict(value: string, topic: TopicState, { deadLetters }: ClusterState): Verdict {
  const ms = Number(value);
  if (ms < 0) return fine('for ever');
  const text = ms < DAY_MS ? `${(ms / HOUR_MS).toFixed(1)} h` : `${(ms / DAY_MS).toFixed(1)} days`;
  if (topic === deadLetters) {
    const fix = alter(topic, `retention.ms=${30 * DAY_MS}`);
    return ms < DAY_MS ? warning(`${text}: dead letters are gone before people see them`, fix) : fine(text);
  }
  const effect = `${text}: consumers that are down for longer lose tasks, and the epoch is suspended`;
  const fix = alter(topic, `retention.ms=${7 * DAY_MS}`);
  if (ms < HOUR_MS) return problem(effect, fix);
  return ms < DAY_MS ? warning(effect, fix) : fine(text);
}

const FEW_BYTES = 1024 ** 3;

function retentionBytesVerdict(value: string, topic: TopicState): Verdict {
  const bytes = Number(value);
  if (bytes < 0) return fine('no limit');
  const text = `${bytes} bytes a partition`;
  if (bytes >= FEW_BYTES) return fine(text);
  return warning(`${text}: a larger backlog is lost, whatever its age`, alter(topic, 'retention.bytes=-1'));
}

function sizeVerdict(value: string, topic: TopicState): Verdict {
  const bytes = Number(value);
  if (bytes >= BYTES_A_REQUEST) return fine(value);
  const fix = alter(topic, 'max.message.bytes=1048588');
  if (bytes < LARGEST_MESSAGE) return problem(`${value}: the largest tasks and dead letters are refused`, fix);
  return warning(`${value}: Recency sends up to ${BYTES_A_REQUEST} bytes at once, and some of it may be refused`, fix);
}

const COMPRESSIONS = ['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'];

function compressionVerdict(value: string, topic: TopicState): Verdict {
  if (COMPRESSIONS.includes(value)) return fine(value);
  return problem(
    `${value} is not known: its batches go to the dead letters`,
    alter(topic, 'compression.type=producer'),
  );
}

function alter({ topic }: TopicState, setting: string): string {
  return `kafka-configs.sh --alter --entity-type topics --entity-name ${topic} --add-config ${setting}`;
}

function settingVerdict(name: string, state: ClusterState, judge: Judge): Verdict {
  return each(state, (topic) => {
    const value = topic.settings?.get(name);
    if (value !== undefined) return judge(value, topic, state);
    return warning('not known: DESCRIBE_CONFIGS is not allowed', `Allow it for this user, or check ${name} yourself.`);
  });
}

const BY_WEIGHT = ['fine', 'warning', 'problem'] as const;

/** One verdict on all topics. */
function each(state: ClusterState, judge: (topic: TopicState, state: ClusterState) => Verdict): Verdict {
  const topics = [...state.lanes.map(({ tasks }) => tasks), state.deadLetters];
  return all(
    topics.map((topic) => {
      const verdict = judge(topic, state);
      return { ...verdict, detail: `${topic.topic}: ${verdict.detail}` };
    }),
  );
}

/** The details of all, the worst state, and all fixes, each once. */
function all(verdicts: readonly Verdict[]): Verdict {
  const worst = Math.max(...verdicts.map(({ state }) => BY_WEIGHT.indexOf(state)));
  const fixes = new Set(verdicts.flatMap(({ mend }) => mend ?? []));
  return {
    state: BY_WEIGHT[worst] as Verdict['state'],
    detail: verdicts.map(({ detail }) => detail).join('\n'),
    ...(fixes.size > 0 ? { mend: [...fixes].join('\n') } : {}),
  };
}
