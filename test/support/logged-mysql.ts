import type { ConnectionOptions } from 'mysql2';
import { OwnMysql } from './own-mysql.ts';

/** With a binary log as capture needs it. Later arguments win: servers of tests have none. */
export const LOGGED = ['--server-id=7', '--log-bin=binlog', '--binlog-format=ROW'] as const;

/** MariaDB has GTIDs anyhow, and reads options that only MySQL knows as a hint. */
export const WITH_GTIDS = [...LOGGED, '--loose-gtid-mode=ON', '--loose-enforce-gtid-consistency=ON'] as const;

/** A server whose binary log can be captured, for one test file. */
export const loggedMysql = (args: readonly string[] = LOGGED): OwnMysql => new OwnMysql(args);

/** A URL as the driver takes it. */
export function connectionOptions(url: string): ConnectionOptions {
  const { hostname, port, username, password, pathname } = new URL(url);
  return { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
}
