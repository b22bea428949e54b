import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/mysql/database.ts';
import { openRedis, untilReady } from '../../src/redis/connection.ts';
import { KafkaTaskPublisher } from '../../src/transport/kafka/publisher.ts';
import { kafkaBehindProxy } from '../support/kafka-behind-proxy.ts';
import { freshDatabase, freshName, hasKafka, redisUrl, withAdmin } from '../support/servers.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { freshTasks } from '../transport/outgoing-task.ts';
import { kafkaSettings } from '../transport/place.ts';

const ROUNDS = 10;
const CONNECTIONS = 10;
/** Fewer than the connections: another attempt may meet another one that was forgotten. */
const AT_ONCE = 4;

async function proxyBefore(url: string): Promise<TcpProxy> {
  const proxy = await TcpProxy.before(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

async function databaseBehindProxy() {
  const proxy = await proxyBefore(await freshDatabase());
  const database = new Database(proxy.url, { connections: CONNECTIONS, queue: 100, deadlineMs: 60_000 });
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE counted (id BIGINT PRIMARY KEY AUTO_INCREMENT)', []);
  return { proxy, database };
}

it('reads of MySQL succeed although a firewall has forgotten every connection', async () => {
  const { proxy, database } = await databaseBehindProxy();
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => database.rows('SELECT SLEEP(0.1)', [])));
    expect(proxy.connections).toBeGreaterThan(0);
    proxy.forget();
    const asked = Array.from({ length: AT_ONCE }, (_, i) => database.rows('SELECT ?', [i]));
    expect(await Promise.all(asked)).toEqual(asked.map((_, i) => [[i]]));
  }
});

it('writes to MySQL succeed although a firewall has forgotten every idle connection', async () => {
  const { proxy, database } = await databaseBehindProxy();
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => database.rows('SELECT SLEEP(0.1)', [])));
    const idleFrom = performance.now();
    await until(() => performance.now() - idleFrom > 600);
    proxy.forget();
    const writes = Array.from({ length: AT_ONCE }, () => database.write('INSERT INTO counted () VALUES ()', []));
    await Promise.all(writes);
    expect(await database.rows('SELECT COUNT(*) FROM counted', [])).toEqual([[round * AT_ONCE]]);
  }
});

it('commands to Redis succeed although a firewall has forgotten the connection', async () => {
  const proxy = await proxyBefore(redisUrl());
  const redis = openRedis(proxy.url, { commandTimeoutMs: 10_000, connectTimeoutMs: 10_000, name: 'test' });
  onTestFinished(() => redis.disconnect());
  await untilReady(redis, 10_000);
  for (let round = 0; round < ROUNDS; round++) {
    expect(proxy.connections).toBeGreaterThan(0);
    proxy.forget();
    const asked = Array.from({ length: AT_ONCE }, (_, i) => redis.echo(String(i)));
    expect(await Promise.all(asked)).toEqual(asked.map((_, i) => String(i)));
  }
});

it.runIf(hasKafka())('tasks reach Kafka although a firewall has forgotten the connections', async () => {
  const { proxy, address } = await kafkaBehindProxy();
  const topic = freshName();
  const publisher = new KafkaTaskPublisher({
    kafka: kafkaSettings([address]),
    topic,
    deadlineMs: 60_000,
    partitions: 2,
  });
  onTestFinished(() => publisher.close());
  await until(() => publisher.publish(freshTasks(1)).then(() => true)); // which makes the topic
  for (let round = 0; round < ROUNDS; round++) {
    expect(proxy.connections).toBeGreaterThan(0);
    proxy.forget();
    await Promise.all(Array.from({ length: AT_ONCE }, () => publisher.publish(freshTasks(1))));
  }
  const ends = await withAdmin((admin) => admin.fetchTopicOffsets(topic), [address]);
  const count = ends.reduce((sum, { high }) => sum + Number(high), 0);
  expect(count).toBeGreaterThanOrEqual(1 + ROUNDS * AT_ONCE);
});
