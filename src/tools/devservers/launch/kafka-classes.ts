/**
 * An archive of the classes that a broker loads (Java's class data sharing): with it Java neither reads nor verifies them again, which is
 * half of the work of a start. A broker that runs for a moment writes it, once for each Java runtime; it lies beside the jars.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, statSync } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { probeKafka, reasonOf, START_TIMEOUT, untilReady } from '../probe.ts';
import type { LaunchContext } from '../server.ts';
import { freePort } from './free-port.ts';
import { KAFKA_VERSION } from './kafka-runtime.ts';
import { brokerArguments, format, propertiesFile } from './kafka-site.ts';
import { EndedWhileStarting, ServerProcess } from './program.ts';

/** What runs a broker. */
export interface BrokerRuntime {
  readonly java: string;
  /** The folder of the broker's jars. */
  readonly jars: string;
}

/** Milliseconds in which a broker ends and Java has written the archive. */
const WRITE_TIMEOUT = 120_000;

/** The archive, if this Java runtime can have one and it was made. */
export function findClassArchive(runtime: BrokerRuntime): string | undefined {
  const file = archiveFile(runtime);
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 ? file : undefined;
}

/** Makes the archive unless it is there. Returns undefined where Java cannot make one, which is tried once. */
export async function classArchive(runtime: BrokerRuntime, context: LaunchContext): Promise<string | undefined> {
  if (!isMade(runtime)) await make(runtime, context);
  return findClassArchive(runtime);
}

function archiveFile({ java, jars }: BrokerRuntime): string {
  const runtime = createHash('sha256').update(realpathSync(java)).digest('hex').slice(0, 12);
  return join(jars, `classes-${runtime}.jsa`);
}

/** An archive is of no use to a runtime that was installed later in the same place. */
function isMade(runtime: BrokerRuntime): boolean {
  const made = statSync(archiveFile(runtime), { throwIfNoEntry: false });
  return made !== undefined && made.mtimeMs >= statSync(realpathSync(runtime.java)).ctimeMs;
}

/** Several processes may make it at once: each renames a whole one. An empty file says that it cannot be made. */
async function make(runtime: BrokerRuntime, context: LaunchContext): Promise<void> {
  context.log('Kafka: archiving the classes of the broker, once');
  const dir = mkdtempSync(join(context.dir, 'classes-'));
  const part = `${archiveFile(runtime)}.${process.pid}`;
  try {
    await copyFile(await written(runtime, dir, context), part);
  } catch (error) {
    context.signal.throwIfAborted();
    context.log(`Kafka: brokers start without an archive of their classes (${reasonOf(error)})`);
    await writeFile(part, '');
  }
  await rename(part, archiveFile(runtime));
  await rm(dir, { recursive: true, force: true });
}

/** Runs a broker until it answers. @param dir its folder @returns the archive that Java wrote at its end */
async function written({ java, jars }: BrokerRuntime, dir: string, { own, signal }: LaunchContext): Promise<string> {
  const site = { dir, port: await freePort() };
  const archive = join(dir, 'classes.jsa');
  await format(site);
  const args = [`-XX:ArchiveClassesAtExit=${archive}`, ...brokerArguments(jars, propertiesFile(site))];
  const broker = new ServerProcess(java, args, dir);
  own({ remove: () => broker.end('SIGKILL', WRITE_TIMEOUT) });
  broker.start();
  const check = () => {
    signal.throwIfAborted();
    if (broker.ended) throw new EndedWhileStarting(java, broker.log());
  };
  await untilReady({ probe: () => probeKafka(`127.0.0.1:${site.port}`, KAFKA_VERSION), check, timeout: START_TIMEOUT });
  await broker.end('SIGTERM', WRITE_TIMEOUT);
  return archive;
}
