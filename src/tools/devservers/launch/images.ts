import { probeKafka } from '../probe/kafka.ts';
import { probeMysql } from '../probe/mysql.ts';
import type { Probe } from '../probe/probe.ts';
import { probeRedis } from '../probe/redis.ts';
import type { LaunchOrder, ServerName } from '../server.ts';
import { KAFKA_VERSION } from './kafka-jars.ts';
import { KAFKA_PROPERTIES, kafkaEnvironment, newClusterId } from './kafka-properties.ts';
import { MYSQL_ARGUMENTS } from './mysql-program.ts';
import { REDIS_ARGUMENTS } from './redis-program.ts';

/** How to run one kind of server from its official image. */
export interface ImageRecipe {
  readonly image: string;
  /** The port inside the container, given the one outside. */
  port(outside: number): number;
  environment(host: string, port: number): Readonly<Record<string, string>>;
  command(order: LaunchOrder): readonly string[];
  url(host: string, port: number): string;
  probe(url: string): Promise<Probe>;
}

export const IMAGES: Readonly<Record<ServerName, ImageRecipe>> = {
  mysql: {
    image: 'mysql:9',
    port: () => 3306,
    environment: () => ({ MYSQL_ALLOW_EMPTY_PASSWORD: 'yes', MYSQL_DATABASE: 'recency' }),
    command: ({ args = [] }) => ['mysqld', ...MYSQL_ARGUMENTS, ...args],
    url: (host, port) => `mysql://root@${host}:${port}/recency`,
    probe: probeMysql,
  },
  redis: {
    image: 'redis:8',
    port: () => 6379,
    environment: () => ({}),
    command: ({ dir, args = [] }) => ['redis-server', ...(dir ? ['--dir', '/data'] : []), ...REDIS_ARGUMENTS, ...args],
    url: (host, port) => `redis://${host}:${port}`,
    probe: probeRedis,
  },
  kafka: {
    image: `apache/kafka:${KAFKA_VERSION}`,
    // The broker also talks to itself by its advertised address, so its port is the same inside and outside.
    port: (outside) => outside,
    // A cluster id of its own, or a restart would format the storage for another cluster.
    environment: (host, port) => ({ ...kafkaEnvironment(kafkaProperties(host, port)), CLUSTER_ID: newClusterId() }),
    command: () => [],
    url: (host, port) => `${host}:${port}`,
    probe: (broker) => probeKafka(broker, KAFKA_VERSION),
  },
};

function kafkaProperties(host: string, port: number): Record<string, string> {
  const controller = port === 9093 ? 9094 : 9093;
  return {
    ...KAFKA_PROPERTIES,
    'controller.quorum.voters': `1@localhost:${controller}`,
    listeners: `PLAINTEXT://:${port},CONTROLLER://:${controller}`,
    'advertised.listeners': `PLAINTEXT://${host}:${port}`,
  };
}
