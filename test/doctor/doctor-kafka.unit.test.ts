import { describe, expect, it } from 'vitest';
import { checksOf } from '../../src/doctor/kafka-checks.ts';
import type { ClusterState, LaneState, PartitionState, TopicState } from '../../src/transport/kafka/cluster-state.ts';

const DAY_MS = 24 * 3_600_000;

const HEALTHY = {
  ...{ 'cleanup.policy': 'delete', 'retention.ms': String(7 * DAY_MS), 'retention.bytes': '-1' },
  ...{ 'min.insync.replicas': '2', 'max.message.bytes': '1048588', 'compression.type': 'producer' },
};

function topic(
  settings: Partial<Record<keyof typeof HEALTHY, string>> = {},
  more: Partial<PartitionState> = {},
): TopicState {
  const partition = { partition: 0, leader: 1, replicas: 3, inSync: 3, ...more };
  return { topic: 't', partitions: [partition], settings: new Map(Object.entries({ ...HEALTHY, ...settings })) };
}

function cluster(tasks: TopicState, { brokers = 3, ...more }: Partial<LaneState & ClusterState> = {}): ClusterState {
  const small = { group: 'g', tasks, members: 1, lag: 7, heldBack: [], ...more };
  const bulk = { group: 'g.bulk', tasks: { ...topic(), topic: 't.bulk' }, members: 1, lag: 0, heldBack: [] };
  return { brokers, lanes: [small, bulk], deadLetters: { ...topic(), topic: 't.dlq' } };
}

const verdict = (check: string, state: ClusterState) => (checksOf(state)[check] as () => Promise<object>)();

describe('what doctor says of the brokers', () => {
  it('is that all is well where it is', async () => {
    const checks = checksOf(cluster(topic()));
    for (const look of Object.values(checks)) expect(await look()).toMatchObject({ state: 'fine' });
  });

  it.each<[string, string, ClusterState, RegExp]>([
    ['consumers', 'warning', cluster(topic(), { members: 0, lag: 0 }), /^no consumer in the group g, 0 tasks wait\n/],
    ['consumers', 'problem', cluster(topic(), { members: 0 }), /^no consumer in the group g, 7 tasks wait\n/],
    [
      'consumers',
      'fine',
      cluster(topic(), { lag: undefined }),
      /^1 in the group g, the number of waiting tasks is not known/,
    ],
    [
      'consumers',
      'warning',
      cluster(topic(), { members: 0, lag: undefined }),
      /^no consumer in the group g, the number of waiting tasks/,
    ],
    ['transactions', 'warning', cluster(topic(), { heldBack: undefined }), /not known now/],
    ['partitions', 'problem', cluster(topic({}, { leader: undefined })), /without a leader: 0/],
    ['partitions', 'warning', cluster(topic({}, { inSync: 2 })), /not in sync: 0/],
    ['replication factor', 'warning', cluster(topic({}, { replicas: 1, inSync: 1 })), /1, and there are 3 brokers/],
    [
      'replication factor',
      'fine',
      cluster(topic({}, { replicas: 1, inSync: 1 }), { brokers: 1 }),
      /there is one broker/,
    ],
    ['min.insync.replicas', 'problem', cluster(topic({ 'min.insync.replicas': '4' })), /nothing is accepted/],
    ['min.insync.replicas', 'warning', cluster(topic({ 'min.insync.replicas': '3' })), /while one is unavailable/],
    ['min.insync.replicas', 'warning', cluster(topic({ 'min.insync.replicas': '1' })), /may be lost/],
    ['cleanup.policy', 'problem', cluster(topic({ 'cleanup.policy': 'compact,delete' })), /compaction removes tasks/],
    ['retention.ms', 'fine', cluster(topic({ 'retention.ms': '-1' })), /for ever/],
    ['retention.ms', 'warning', cluster(topic({ 'retention.ms': '7200000' })), /2\.0 h: consumers that are down/],
    ['retention.ms', 'problem', cluster(topic({ 'retention.ms': '60000' })), /0\.0 h: consumers that are down/],
    ['retention.bytes', 'warning', cluster(topic({ 'retention.bytes': '1000' })), /1000 bytes a partition/],
    ['retention.bytes', 'fine', cluster(topic({ 'retention.bytes': '10000000000' })), /10000000000 bytes/],
    ['max.message.bytes', 'problem', cluster(topic({ 'max.message.bytes': '65536' })), /are refused/],
    ['max.message.bytes', 'warning', cluster(topic({ 'max.message.bytes': '500000' })), /may be refused/],
    ['compression.type', 'fine', cluster(topic({ 'compression.type': 'zstd' })), /zstd/],
    ['compression.type', 'problem', cluster(topic({ 'compression.type': 'brotli' })), /brotli is not known/],
    ['compression.type', 'warning', cluster({ ...topic(), settings: undefined }), /DESCRIBE_CONFIGS is not allowed/],
  ])('%s: %s', async (check, state, of, detail) => {
    const found = await verdict(check, of);
    expect(found).toMatchObject({ state, detail: expect.stringMatching(detail) });
    if (state !== 'fine') expect(found).toMatchObject({ mend: expect.stringMatching(/./) });
  });

  it('is the worst of both lanes, with the topic and the group of each', async () => {
    const { lanes, ...rest } = cluster(topic());
    const [small, bulk] = lanes as [LaneState, LaneState];
    const tasks = { ...topic({ 'retention.ms': '60000' }), topic: 't.bulk' };
    const state = { ...rest, lanes: [small, { ...bulk, tasks, members: 0, lag: 3, heldBack: undefined }] };
    expect(await verdict('consumers', state)).toMatchObject({
      state: 'problem',
      detail: '1 in the group g, 7 tasks wait\nno consumer in the group g.bulk, 3 tasks wait',
    });
    expect(await verdict('transactions', state)).toMatchObject({
      state: 'warning',
      detail: 't: none holds back messages\nt.bulk: not known now',
    });
    expect(await verdict('retention.ms', state)).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('t.bulk: 0.0 h: consumers that are down'),
      mend: expect.stringContaining('--entity-name t.bulk'),
    });
  });
});
