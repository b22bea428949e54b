import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';

/** What Kafka 4 needs. */
const OLDEST_JAVA = 17;

/** The full path of a Java runtime new enough for Kafka, or undefined. */
export async function findJava(): Promise<string | undefined> {
  for (const java of candidates()) {
    if ((await majorVersion(java)) >= OLDEST_JAVA) return java;
  }
  return undefined;
}

/** The chosen one, the one on the path, and those that Debian keeps beside each other. */
function candidates(): string[] {
  const homes = [process.env.JAVA_HOME, ...installed('/usr/lib/jvm')].filter((home) => home !== undefined);
  const onPath = findProgram('java');
  return [...(onPath === undefined ? [] : [onPath]), ...homes.map((home) => join(home, 'bin', 'java'))];
}

function installed(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // not a Debian: there is nothing to look through
  }
}

async function majorVersion(java: string): Promise<number> {
  try {
    const [, first = '0', second = '0'] = /version "(\d+)(?:\.(\d+))?/.exec(await runProgram(java, ['-version'])) ?? [];
    return Number(first === '1' ? second : first);
  } catch {
    return 0; // no runtime there, or a broken one
  }
}
