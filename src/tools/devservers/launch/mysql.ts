import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { probeMysql } from '../probe.ts';
import type { ProgramRecipe, ProgramSite, ServerKind } from './kind.ts';
import { asRoot, findProgram, runProgram } from './machine.ts';
import { fillMariaDbData } from './mariadb-data.ts';

/** The database that is created for the site's tables. */
const DATABASE = 'recency';

/** Without a name for 127.0.0.1, `skip-name-resolve` would lock out even root. */
const ALLOW_ROOT = [
  "CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';",
  "GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;",
  `CREATE DATABASE IF NOT EXISTS ${DATABASE};`,
].join('\n');

/**
 * Settings for disposable data: what was committed survives a killed server, not a power cut. The binary log and the
 * performance schema are off because nothing here reads them and both cost time at every start.
 */
const ARGUMENTS = [
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-doublewrite=0',
  '--innodb-buffer-pool-size=1G',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--max-connections=500',
  '--skip-name-resolve',
] as const;

export const mysql: ServerKind = {
  product: 'MySQL',
  howToGet:
    'start Docker, or install MariaDB 10.6+ or MySQL 8.0.19+ (apt-get install mariadb-server; brew install mariadb), or set RECENCY_MYSQL_URL',
  image: {
    name: 'mysql:9',
    port: () => 3306,
    // Named time zones, which nothing here uses, would take as long to load as the rest.
    environment: () => ({
      MYSQL_ALLOW_EMPTY_PASSWORD: 'yes',
      MYSQL_DATABASE: DATABASE,
      MYSQL_INITDB_SKIP_TZINFO: 'yes',
    }),
    command: ({ args = [] }) => ['mysqld', ...ARGUMENTS, ...args],
    url: (host, port) => `mysql://root@${host}:${port}/${DATABASE}`,
    probe: probeMysql,
  },
  findProgram: async () => {
    const program = findProgram('mariadbd', 'mysqld');
    if (program === undefined)
      return { what: 'neither mariadbd nor mysqld is on the path', packages: ['mariadb-server'] };
    return recipeFor(program);
  },
};

/** MariaDB and MySQL are initialised and identified differently; `mysqld` may be the name of either. */
async function recipeFor(program: string): Promise<ProgramRecipe> {
  const version = await runProgram(program, ['--no-defaults', '--version']);
  const isMariaDb = /mariadb/i.test(version);
  const url = ({ port }: ProgramSite) => `mysql://root@127.0.0.1:${port}/${DATABASE}`;
  return {
    program,
    prepare: async (site, signal) => {
      if (isMariaDb) await fillMariaDbData(dataOf(site), { program, version }, signal);
      else await initialize(program, site, signal);
      await writeFile(initFile(site), ALLOW_ROOT);
    },
    args: (site) => serverArguments(site, isMariaDb),
    url,
    probe: (site) => probeMysql(url(site)),
    owns: (probe, site) => resolve(probe.identity) === realpathSync(dataOf(site)),
  };
}

const dataOf = ({ dir }: ProgramSite): string => join(dir, 'data');
const initFile = ({ dir }: ProgramSite): string => join(dir, 'init.sql');

/** Fills the data directory of a MySQL server, which has an identity of its own. */
async function initialize(program: string, site: ProgramSite, signal: AbortSignal): Promise<void> {
  // What begins in a folder for temporary tables deletes those that it finds there, also those of a server at work.
  const folders = ['--no-defaults', `--tmpdir=${site.dir}`, `--datadir=${dataOf(site)}`];
  const options = ['--initialize-insecure', '--secure-file-priv=NULL', ...asRoot()];
  await runProgram(program, [...folders, ...options], { signal, cwd: site.dir });
}

function serverArguments(site: ProgramSite, isMariaDb: boolean): readonly string[] {
  return [
    '--no-defaults',
    `--datadir=${dataOf(site)}`,
    `--init-file=${initFile(site)}`,
    `--socket=${join(site.dir, 'mysql.sock')}`,
    `--pid-file=${join(site.dir, 'mysql.pid')}`,
    `--tmpdir=${site.dir}`,
    `--port=${site.port}`,
    '--bind-address=127.0.0.1',
    ...ARGUMENTS,
    ...(isMariaDb ? [] : ['--mysqlx=OFF', '--secure-file-priv=NULL']),
    ...asRoot(),
  ];
}
