import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from './run-program.ts';

export const KAFKA_VERSION = '4.1.1';

/** Where the broker's jars are kept, so that they are fetched once. */
export const jarsFolder = (): string => resolve('.recency', `kafka-${KAFKA_VERSION}`);

/** Brings the broker and all it needs from Maven Central, unless they are there. Returns the folder of the jars. */
export async function fetchKafkaJars(maven: string, signal: AbortSignal): Promise<string> {
  const folder = jarsFolder();
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const project = join(unfinished, 'pom.xml');
    await writeFile(project, PROJECT);
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(unfinished, 'jars')}`];
    await runProgram(maven, ['-q', '-B', '-f', project, ...goal], { signal });
    await keep(join(unfinished, 'jars'), folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** A rename, so that the folder is either whole or not there; another process may have been faster. */
async function keep(fetched: string, folder: string): Promise<void> {
  try {
    await rename(fetched, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

const PROJECT = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>recency</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version></dependency>
  </dependencies>
</project>
`;
