/** What runs a Kafka broker as a program: a Java runtime, and the broker's jars. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { findProgram, runProgram } from './machine.ts';

export const KAFKA_VERSION = '4.1.1';

/** What Kafka 4 needs. */
const OLDEST_JAVA = 17;

/** The full path of a Java runtime new enough for Kafka, or undefined. */
export async function findJava(): Promise<string | undefined> {
  for (const java of candidates()) {
    if (majorOf(await versionOf(java)) >= OLDEST_JAVA) return java;
  }
  return undefined;
}

/** The one on the path, JAVA_HOME's, and those that Debian installs side by side. */
function candidates(): string[] {
  const debians = '/usr/lib/jvm';
  const installed = existsSync(debians) ? readdirSync(debians).map((name) => join(debians, name)) : [];
  const homes = [process.env.JAVA_HOME, ...installed].filter((home) => home !== undefined);
  const onPath = findProgram('java');
  return [...(onPath === undefined ? [] : [onPath]), ...homes.map((home) => join(home, 'bin', 'java'))];
}

/** For example `17.0.15`; empty: there is no runtime, or a broken one. */
export async function versionOf(java: string): Promise<string> {
  try {
    return /version "([\w.+-]+)"/.exec(await runProgram(java, ['-version']))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** 8 of `1.8.0`, 17 of `17.0.15`. */
function majorOf(version: string): number {
  const [first = '0', second = '0'] = version.split(/[.+-]/);
  return Number(first === '1' ? second : first);
}

/** Without a logger, a broker that cannot start would not say why. The version is that of the broker's own Log4j. */
const LOG4J_VERSION = '2.24.3';

/** The folder that keeps the broker's jars and the logger, so that they are fetched once. */
export const jarsFolder = (): string => resolve('.recency', `kafka-${KAFKA_VERSION}-with-logger`);

/** Fetches the broker and its dependencies from Maven Central unless they are there. Returns the folder of the jars. */
export function fetchKafkaJars(maven: string, signal: AbortSignal): Promise<string> {
  return fetchJars({ maven, folder: jarsFolder(), artifacts: BROKER }, signal);
}

export interface WantedJars {
  /** The program. */
  readonly maven: string;
  /** Where they are kept, so that they are fetched once. */
  readonly folder: string;
  /** `group:artifact:version` each; their dependencies come with them. */
  readonly artifacts: readonly string[];
}

/** Fetches jars from Maven Central unless they are there. Returns their folder. */
export async function fetchJars({ maven, folder, artifacts }: WantedJars, signal: AbortSignal): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const project = join(unfinished, 'pom.xml');
    await writeFile(project, projectOf(artifacts));
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(unfinished, 'jars')}`];
    await runProgram(maven, ['-q', '-B', '-f', project, ...goal], { signal });
    await keep(join(unfinished, 'jars'), folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Renames, so that the folder is either complete or not there; another process may have been faster. */
export async function keep(finished: string, folder: string): Promise<void> {
  try {
    await rename(finished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

const BROKER = [
  `org.apache.kafka:kafka_2.13:${KAFKA_VERSION}`,
  `org.apache.logging.log4j:log4j-slf4j-impl:${LOG4J_VERSION}`,
];

function projectOf(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>recency</groupId><artifactId>kafka</artifactId><version>1</version>
  <dependencies>
    ${dependencies.join('\n    ')}
  </dependencies>
</project>
`;
}
