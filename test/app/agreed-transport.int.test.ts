import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { adopt } from '../../src/app/adopt-settings.ts';
import { agreeOnSettings, watchSettings } from '../../src/app/shared-settings.ts';
import { openTransport } from '../../src/app/transport.ts';
import { StartError } from '../../src/config/start-error.ts';
import type { Finding } from '../../src/health/finding.ts';
import { EVERYBODY } from '../../src/index/drain-barrier.ts';
import { KafkaEnds } from '../../src/mysql/kafka-ends.ts';
import { groupHistory } from '../../src/mysql/settings.ts';
import { startKafka } from '../../src/tools/devservers/start-server.ts';
import { OtherKafkaCluster } from '../../src/transport/kafka/errors.ts';
import type { Settings } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { kafkaBehindProxy } from '../support/kafka-behind-proxy.ts';
import { openedProcess } from '../support/opened-process.ts';
import { freshName, hasKafka, kafkaBrokers, withAdmin } from '../support/servers.ts';
import { serviceSettings } from '../support/service-settings.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { logger } from '../transport/place.ts';

const task = () => ({
  task: { type: 'recency.user.changed', user: '1' } as const,
  id: randomUUID(),
  source: '/test',
  time: Date.now(),
});

/** The transport of a process with these settings, which runs. */
async function openWith(
  settings: Settings & { MYSQL_URL: string },
  wait: 'untilReady' | 'untilAnswers' = 'untilReady',
) {
  const opened = openedProcess(settings);
  const { config, resources, primary } = opened;
  const transport = openTransport(opened, 'test');
  await transport[wait](new AbortController().signal);
  const publisher = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  const another = resources.adopt(transport.openPublisher(), (opened) => opened.close());
  return {
    ...{ config, primary, transport },
    publish: () => publisher.publish([task()]),
    publishByAnother: () => another.publish([task()]),
  };
}

/** Nothing that was left running confirms a task, or says that nothing waits. */
async function isRefused({ publish, transport }: Awaited<ReturnType<typeof openWith>>, setting: string): Promise<void> {
  const message = new RegExp(`^RECENCY_${setting} is "[^"]+" here, but the processes of this database use "`);
  await expect(publish()).rejects.toThrow(message);
  await expect(publish()).rejects.toThrow(StartError);
  await expect(transport.barrier([EVERYBODY])).rejects.toThrow(message);
  await expect(transport.strictBarrier([EVERYBODY])).rejects.toThrow(message);
  await expect(transport.bulk.openPublisher().publish([task()])).rejects.toThrow(message);
  await expect(transport.answers()).rejects.toThrow(message);
}

it('a transport that was left where it was counts no more once another is adopted', async () => {
  const settings = await serviceSettings('streams');
  const left = await openWith(settings);
  await agreeOnSettings(left.primary, left.config, left.transport);
  await left.publish();
  const elsewhere = { ...settings, TOPIC: freshName() };
  await expect(openWith(elsewhere)).rejects.toThrow(/^RECENCY_TOPIC is "\S+" here, but/);
  const { config, primary, transport, publish } = await openWith(elsewhere, 'untilAnswers');
  await adopt(primary, config, transport);
  await publish();
  await isRefused(left, 'TOPIC');
});

it.runIf(hasKafka())('another cluster of Kafka is refused, until it is adopted; then the former one is', async () => {
  const settings = await serviceSettings('kafka');
  const left = await openWith(settings);
  await agreeOnSettings(left.primary, left.config, left.transport);
  await left.publish();
  const ends = new KafkaEnds(left.primary, left.config.topic);
  expect([...(await ends.read()).values()].some(({ end }) => end > 0n)).toBe(true);
  const history = groupHistory(left.primary, `kafka:${left.config.topic}:${left.config.kafkaGroup}`);
  await history.recordStart();

  const broker = await startKafka();
  onTestFinished(() => broker.remove());
  const elsewhere = { ...settings, KAFKA_BROKERS: broker.url.replace('kafka://', '') };
  const moved = await openWith(elsewhere, 'untilAnswers');
  await expect(moved.transport.untilReady(new AbortController().signal)).rejects.toThrow(
    /^RECENCY_KAFKA_BROKERS is "cluster \S+" here, but/,
  );
  await expect(agreeOnSettings(moved.primary, moved.config, moved.transport)).rejects.toThrow(
    /^RECENCY_KAFKA_BROKERS is "cluster \S+" here, but the processes of this database use "cluster /,
  );
  await isRefused(moved, 'KAFKA_BROKERS');
  await left.publish();

  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const watching = expect(watchSettings({ ...left, logger }, left, stop.signal, 20)).rejects.toThrow(StartError);
  const findings = async (given: Settings) => {
    const { findings } = JSON.parse((await runInProcess(['doctor', '--json'], given)).stdout);
    return (findings as Finding[]).filter(({ area, check }) => area === 'kafka' && check === 'cluster');
  };
  expect(await findings(elsewhere)).toMatchObject([
    { state: 'problem', detail: expect.stringMatching(/^RECENCY_KAFKA_BROKERS is cluster/) },
  ]);
  expect((await runInProcess(['config', 'adopt'], elsewhere)).stdout).toMatch(/^RECENCY_KAFKA_BROKERS: cluster .* →/);
  expect(await findings(elsewhere)).toMatchObject([{ state: 'fine' }]);
  expect(await topicsOf(elsewhere), 'neither doctor nor adopt creates any').toEqual([]);
  await watching;
  // What the former cluster had is no loss of this one.
  expect([...(await ends.read()).values()].filter(({ end }) => end > 0n)).toEqual([]);
  expect(await history.hasStarted()).toBe(false);
  await isRefused(left, 'KAFKA_BROKERS');
  await agreeOnSettings(moved.primary, moved.config, moved.transport);
  await moved.publish();
});

/** Those of the tasks and of the dead letters. */
async function topicsOf({ KAFKA_BROKERS: brokers = '', TOPIC = '' }: Settings): Promise<string[]> {
  const topics = await withAdmin((admin) => admin.listTopics(), brokers.split(','));
  return topics.filter((topic) => topic.startsWith(TOPIC));
}

const OTHER_CLUSTER =
  /^Kafka at \S+ is the cluster \S+, but this process works on \S+\. Lead RECENCY_KAFKA_BROKERS of every/;

it.runIf(hasKafka())('a start says so whose brokers say that they are at the address of another cluster', async () => {
  const { proxy, behind } = await kafkaBehindProxy();
  proxy.leadTo(`kafka://${kafkaBrokers()[0]}`);
  const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: behind };
  await expect(openWith(settings)).rejects.toThrow(OTHER_CLUSTER);
});

it.runIf(hasKafka())(
  'a process whose brokers lead to another cluster meanwhile confirms nothing, and ends',
  async () => {
    const broker = await startKafka();
    onTestFinished(() => broker.remove());
    const proxy = await TcpProxy.before(`kafka://${broker.url.replace('kafka://', '')}`);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const settings = { ...(await serviceSettings('kafka')), KAFKA_BROKERS: new URL(proxy.url).host };
    const opened = await openWith(settings);
    const { primary, config, transport, publish, publishByAnother } = opened;
    await agreeOnSettings(primary, config, transport);
    await publish();
    const [other = ''] = kafkaBrokers();
    proxy.leadTo(`kafka://${other}`);
    await expect(publishByAnother()).rejects.toThrow(OtherKafkaCluster);
    await expect(transport.barrier([EVERYBODY])).rejects.toThrow(OTHER_CLUSTER);
    await expect(transport.answers()).rejects.toThrow(OTHER_CLUSTER);
    await expect(transport.bulk.openPublisher().publish([task()])).rejects.toThrow(OtherKafkaCluster);
    const watching = watchSettings({ ...opened, logger }, opened, new AbortController().signal, 20);
    await expect(watching).rejects.toThrow(StartError);
  },
);
