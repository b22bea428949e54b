/** The files of a Kafka broker that runs as a program, and the arguments that lead Java to them. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import type { ProgramSite } from './kind.ts';

/**
 * Settings of a single broker for tests: small internal topics, groups that start without a delay, compaction without waiting
 * for 15 s, and a short session, because a killed broker is not admitted again before its old session has expired.
 */
export const PROPERTIES = {
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
  'log.cleaner.backoff.ms': '500',
} as const;

/** 16 random bytes as Kafka writes them. A leading hyphen would look like an option to its tool. */
export function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? newClusterId() : id;
}

export const propertiesFile = ({ dir }: Pick<ProgramSite, 'dir'>): string => join(dir, 'server.properties');
export const clusterFile = ({ dir }: Pick<ProgramSite, 'dir'>): string => join(dir, 'cluster-id');
const dataOf = ({ dir }: Pick<ProgramSite, 'dir'>): string => join(dir, 'data');

/**
 * For Java, before the class that it is to run.
 * @param jars their folder
 * @param archive of classes in them, if there is one; Java does without one that does not fit
 */
export function javaArguments(jars: string, archive?: string): string[] {
  const shared = archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`, '-Xshare:auto'];
  return [...shared, '-Xmx384m', '-XX:+UseSerialGC', '-cp', join(jars, '*')];
}

/** The same for a broker. @param properties the file with its own settings */
export function brokerArguments(jars: string, properties: string, archive?: string): string[] {
  return [...javaArguments(jars, archive), 'kafka.Kafka', properties];
}

/**
 * Writes the properties, and the log directory of a new cluster as Kafka's own tool would format it, which takes seconds to start. The
 * broker adds an id of the directory, and begins with the metadata version of its release.
 */
export async function format(site: ProgramSite): Promise<void> {
  const cluster = newClusterId();
  await writeFile(clusterFile(site), cluster);
  await writeFile(propertiesFile(site), await properties(site));
  await formatLogs(dataOf(site), { cluster, node: 1 });
}

/** @param dir where a broker will keep its logs */
export async function formatLogs(dir: string, { cluster, node }: { cluster: string; node: number }): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'meta.properties'), `version=1\ncluster.id=${cluster}\nnode.id=${node}\n`);
}

async function properties({ dir, port }: ProgramSite): Promise<string> {
  const controller = `127.0.0.1:${await freePort()}`;
  const all = {
    ...PROPERTIES,
    'controller.quorum.voters': `1@${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'log.dirs': dataOf({ dir }),
  };
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
