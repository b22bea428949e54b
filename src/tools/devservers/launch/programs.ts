import { existsSync } from 'node:fs';
import type { ServerName } from '../server.ts';
import { findProgram } from './find-program.ts';
import type { LaunchContext } from './instance.ts';
import { findJava } from './java.ts';
import { fetchKafkaJars, jarsFolder } from './kafka-jars.ts';
import { kafkaProgram } from './kafka-program.ts';
import { mysqlProgram } from './mysql-program.ts';
import type { ProgramRecipe } from './program.ts';
import { redisProgram } from './redis-program.ts';

/** Debian's packages for what a missing program belongs to. */
export interface Missing {
  readonly what: string;
  readonly packages: readonly string[];
}

/** Looks for the programs that a server needs; tells what is missing where they are not all there. */
export const findRecipe: Readonly<Record<ServerName, (context: LaunchContext) => Promise<ProgramRecipe | Missing>>> = {
  mysql: async () => {
    const program = findProgram('mariadbd', 'mysqld');
    if (program === undefined)
      return { what: 'neither mariadbd nor mysqld is on the path', packages: ['mariadb-server'] };
    return mysqlProgram(program);
  },
  redis: async () => {
    const program = findProgram('redis-server');
    if (program === undefined) return { what: 'redis-server is not on the path', packages: ['redis-server'] };
    return redisProgram(program);
  },
  kafka: async ({ signal, log }) => {
    const java = await findJava();
    const maven = findProgram('mvn');
    const fetched = existsSync(jarsFolder());
    if (java === undefined || (maven === undefined && !fetched)) return missingForKafka(java, maven);
    if (!fetched) log('Kafka: fetching the broker from Maven Central, once');
    return kafkaProgram(java, fetched ? jarsFolder() : await fetchKafkaJars(maven ?? '', signal));
  },
};

function missingForKafka(java: string | undefined, maven: string | undefined): Missing {
  const parts: string[] = [];
  const packages: string[] = [];
  if (java === undefined) {
    parts.push('a Java runtime from version 17');
    packages.push(findProgram('java') === undefined ? 'default-jre-headless' : 'openjdk-17-jre-headless');
  }
  if (maven === undefined) {
    parts.push('mvn, which fetches the broker,');
    packages.push('maven');
  }
  return { what: `${parts.join(' and ')} not found`, packages };
}
