import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { probeMysql } from '../probe/mysql.ts';
import { findProgram } from './find-program.ts';
import type { Place, ProgramRecipe } from './program.ts';
import { runProgram } from './run-program.ts';

/** The database that a stack of our own makes for the site's tables. */
const DATABASE = 'recency';

/** Without a name for 127.0.0.1, `skip-name-resolve` would keep even root out. */
const ALLOW_ROOT = [
  "CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';",
  "GRANT ALL ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;",
  `CREATE DATABASE IF NOT EXISTS ${DATABASE};`,
].join('\n');

/**
 * Settings for data that is thrown away: what was committed outlives a killed server, not a power cut. The binary log
 * and the performance schema are off because nothing here reads them and both cost time at every start.
 */
export const MYSQL_ARGUMENTS = [
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-doublewrite=0',
  '--innodb-buffer-pool-size=256M',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--max-connections=500',
  '--skip-name-resolve',
] as const;

/** MariaDB and MySQL are made and told apart differently; `mysqld` may be the name of either. */
export async function mysqlProgram(program: string): Promise<ProgramRecipe> {
  const isMariaDb = /mariadb/i.test(await runProgram(program, ['--no-defaults', '--version']));
  return {
    program,
    prepare: (place, signal) =>
      isMariaDb ? initialiseMariaDb(place, signal) : initialiseMysql(program, place, signal),
    args: (place) => serverArguments(place, isMariaDb),
    url: mysqlUrl,
    probe: (place) => probeMysql(mysqlUrl(place)),
    owns: (probe, place) => resolve(probe.identity) === realpathSync(dataOf(place)),
  };
}

const mysqlUrl = ({ port }: Place): string => `mysql://root@127.0.0.1:${port}/${DATABASE}`;
const dataOf = ({ dir }: Place): string => join(dir, 'data');
const initFile = ({ dir }: Place): string => join(dir, 'init.sql');

/** Both servers refuse to run as root unless told so. */
const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);

async function initialiseMariaDb(place: Place, signal: AbortSignal): Promise<void> {
  const installer = findProgram('mariadb-install-db', 'mysql_install_db');
  if (installer === undefined)
    throw new Error('mariadb-install-db is not on the path: it belongs to the MariaDB server');
  // By force, because it refuses a machine that cannot look up its own name, which nothing here needs.
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force', ...asRoot()];
  await runProgram(installer, ['--no-defaults', `--datadir=${dataOf(place)}`, ...options], { signal, cwd: place.dir });
  await writeFile(initFile(place), ALLOW_ROOT);
}

async function initialiseMysql(program: string, place: Place, signal: AbortSignal): Promise<void> {
  const options = ['--initialize-insecure', `--datadir=${dataOf(place)}`, '--secure-file-priv=NULL', ...asRoot()];
  await runProgram(program, ['--no-defaults', ...options], { signal, cwd: place.dir });
  await writeFile(initFile(place), ALLOW_ROOT);
}

function serverArguments(place: Place, isMariaDb: boolean): readonly string[] {
  return [
    '--no-defaults',
    `--datadir=${dataOf(place)}`,
    `--init-file=${initFile(place)}`,
    `--socket=${join(place.dir, 'mysql.sock')}`,
    `--pid-file=${join(place.dir, 'mysql.pid')}`,
    `--tmpdir=${place.dir}`,
    `--port=${place.port}`,
    '--bind-address=127.0.0.1',
    ...MYSQL_ARGUMENTS,
    ...(isMariaDb ? [] : ['--mysqlx=OFF', '--secure-file-priv=NULL']),
    ...asRoot(),
  ];
}
