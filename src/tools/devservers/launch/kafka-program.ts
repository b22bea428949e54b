import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { probeKafka } from '../probe/kafka.ts';
import { freePort } from './free-port.ts';
import { KAFKA_VERSION } from './kafka-jars.ts';
import { KAFKA_PROPERTIES, newClusterId } from './kafka-properties.ts';
import type { Place, ProgramRecipe } from './program.ts';
import { runProgram } from './run-program.ts';

/** A KRaft broker, controller and all, in one Java process. */
export function kafkaProgram(java: string, jars: string): ProgramRecipe {
  const classPath = join(jars, '*');
  const url = ({ port }: Place) => `127.0.0.1:${port}`;
  return {
    program: java,
    prepare: (place, signal) => format(java, classPath, place, signal),
    args: (place) => ['-Xmx384m', '-XX:+UseSerialGC', '-cp', classPath, 'kafka.Kafka', propertiesFile(place)],
    url,
    probe: (place) => probeKafka(url(place), KAFKA_VERSION),
    owns: (probe, place) => probe.identity === readFileSync(clusterFile(place), 'utf8'),
  };
}

const propertiesFile = ({ dir }: Place): string => join(dir, 'server.properties');
const clusterFile = ({ dir }: Place): string => join(dir, 'cluster-id');

/** Writes the settings and a log directory that belongs to a new cluster. */
async function format(java: string, classPath: string, place: Place, signal: AbortSignal): Promise<void> {
  const cluster = newClusterId();
  await writeFile(clusterFile(place), cluster);
  await writeFile(propertiesFile(place), await properties(place));
  const tool = ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'kafka.tools.StorageTool'];
  await runProgram(java, [...tool, 'format', '-t', cluster, '-c', propertiesFile(place)], { signal, cwd: place.dir });
}

async function properties({ dir, port }: Place): Promise<string> {
  const controller = `127.0.0.1:${await freePort()}`;
  const settings = {
    ...KAFKA_PROPERTIES,
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'log.dirs': join(dir, 'data'),
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
