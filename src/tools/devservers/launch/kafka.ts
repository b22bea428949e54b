import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { probeKafka } from '../probe.ts';
import type { LaunchContext } from '../server.ts';
import { freePort } from './free-port.ts';
import { fetchKafkaJars, findJava, jarsFolder, KAFKA_VERSION } from './kafka-runtime.ts';
import type { MissingProgram, ProgramRecipe, ProgramSite, ServerKind } from './kind.ts';
import { findProgram, runProgram } from './machine.ts';

/**
 * Settings of a single broker for tests: small internal topics, groups that start without a delay, and a short session,
 * because a killed broker is not admitted again before its old session has expired.
 */
const PROPERTIES = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'transaction.state.log.num.partitions': '4',
  'broker.session.timeout.ms': '3000',
  'broker.heartbeat.interval.ms': '500',
  'group.initial.rebalance.delay.ms': '0',
} as const;

export const kafka: ServerKind = {
  product: 'Kafka',
  howToGet:
    'start Docker, or install Java 17+ and Maven (apt-get install default-jre-headless maven; brew install openjdk maven), or set RECENCY_KAFKA_BROKERS',
  image: {
    name: `apache/kafka:${KAFKA_VERSION}`,
    // The broker also talks to itself at its advertised address, so its port is the same inside and outside.
    port: (outside) => outside,
    environment: (host, port) => {
      const controller = port === 9093 ? 9094 : 9093;
      // Its own cluster id, or a restart would format the storage for another cluster.
      return {
        ...kafkaEnvironment({
          ...PROPERTIES,
          'controller.quorum.voters': `1@localhost:${controller}`,
          listeners: `PLAINTEXT://:${port},CONTROLLER://:${controller}`,
          'advertised.listeners': `PLAINTEXT://${host}:${port}`,
        }),
        CLUSTER_ID: newClusterId(),
      };
    },
    command: () => [],
    url: (host, port) => `${host}:${port}`,
    probe: (broker) => probeKafka(broker, KAFKA_VERSION),
  },
  findProgram: findKafka,
};

/** Properties as the image's environment: `node.id` is `KAFKA_NODE_ID`. */
export function kafkaEnvironment(properties: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.map(([key, value]) => [`KAFKA_${key.toUpperCase().replaceAll('.', '_')}`, value]));
}

/** 16 random bytes as Kafka writes them. A leading hyphen would look like an option to its tool. */
function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}

async function findKafka({ signal, log }: LaunchContext): Promise<ProgramRecipe | MissingProgram> {
  const java = await findJava();
  const maven = findProgram('mvn');
  const fetched = existsSync(jarsFolder());
  if (java === undefined || (maven === undefined && !fetched)) return missing(java, maven);
  if (!fetched) log('Kafka: fetching the broker from Maven Central, once');
  return recipeFor(java, fetched ? jarsFolder() : await fetchKafkaJars(maven ?? '', signal));
}

function missing(java: string | undefined, maven: string | undefined): MissingProgram {
  const parts: string[] = [];
  const packages: string[] = [];
  if (java === undefined) {
    parts.push('Java 17 or newer');
    packages.push(findProgram('java') === undefined ? 'default-jre-headless' : 'openjdk-17-jre-headless');
  }
  if (maven === undefined) {
    parts.push('mvn, which fetches the broker,');
    packages.push('maven');
  }
  return { what: `${parts.join(' and ')} not found`, packages };
}

/** A KRaft broker that is its own controller, in one Java process. */
function recipeFor(java: string, jars: string): ProgramRecipe {
  const classPath = join(jars, '*');
  const url = ({ port }: ProgramSite) => `127.0.0.1:${port}`;
  return {
    program: java,
    prepare: (site, signal) => format(java, classPath, site, signal),
    args: (site) => ['-Xmx384m', '-XX:+UseSerialGC', '-cp', classPath, 'kafka.Kafka', propertiesFile(site)],
    url,
    probe: (site) => probeKafka(url(site), KAFKA_VERSION),
    owns: (probe, site) => probe.identity === readFileSync(clusterFile(site), 'utf8'),
  };
}

const propertiesFile = ({ dir }: ProgramSite): string => join(dir, 'server.properties');
const clusterFile = ({ dir }: ProgramSite): string => join(dir, 'cluster-id');

/** Writes the properties, and a log directory for a new cluster. */
async function format(java: string, classPath: string, site: ProgramSite, signal: AbortSignal): Promise<void> {
  const cluster = newClusterId();
  await writeFile(clusterFile(site), cluster);
  await writeFile(propertiesFile(site), await properties(site));
  const tool = ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'kafka.tools.StorageTool'];
  await runProgram(java, [...tool, 'format', '-t', cluster, '-c', propertiesFile(site)], { signal, cwd: site.dir });
}

async function properties({ dir, port }: ProgramSite): Promise<string> {
  const controller = `127.0.0.1:${await freePort()}`;
  const all = {
    ...PROPERTIES,
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'log.dirs': join(dir, 'data'),
  };
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
