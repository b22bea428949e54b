import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { probeKafka } from '../probe.ts';
import type { LaunchContext } from '../server.ts';
import { type BrokerRuntime, classArchive } from './kafka-classes.ts';
import { fetchKafkaJars, findJava, jarsFolder, KAFKA_VERSION } from './kafka-runtime.ts';
import { brokerArguments, clusterFile, format, newClusterId, PROPERTIES, propertiesFile } from './kafka-site.ts';
import type { MissingProgram, ProgramRecipe, ProgramSite, ServerKind } from './kind.ts';
import { findProgram } from './machine.ts';

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
        // As for the program: Java reads it.
        ...(process.env.JDK_JAVA_OPTIONS === undefined ? {} : { JDK_JAVA_OPTIONS: process.env.JDK_JAVA_OPTIONS }),
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

async function findKafka(context: LaunchContext): Promise<ProgramRecipe | MissingProgram> {
  const java = await findJava();
  const maven = findProgram('mvn');
  const fetched = existsSync(jarsFolder());
  if (java === undefined || (maven === undefined && !fetched)) return missing(java, maven);
  if (!fetched) context.log('Kafka: fetching the broker from Maven Central, once');
  const jars = fetched ? jarsFolder() : await fetchKafkaJars(maven ?? '', context.signal);
  const runtime = { java, jars };
  return recipeFor(runtime, await classArchive(runtime, context));
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
function recipeFor({ java, jars }: BrokerRuntime, archive: string | undefined): ProgramRecipe {
  const url = ({ port }: ProgramSite) => `127.0.0.1:${port}`;
  return {
    program: java,
    prepare: format,
    args: (site) => brokerArguments(jars, propertiesFile(site), archive),
    url,
    probe: (site) => probeKafka(url(site), KAFKA_VERSION),
    owns: (probe, site) => probe.identity === readFileSync(clusterFile(site), 'utf8'),
  };
}
