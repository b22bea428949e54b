import { randomUUID } from 'node:crypto';
import { type RunningServer, startMysql } from '../../src/tools/devservers/start-server.ts';
import { reachable } from './replicated-mysql.ts';
import { sql } from './servers.ts';
import { until } from './until.ts';

/** Where members reach one another, inside their containers. */
const GROUP_PORT = 33_061;

/** A group of three MySQL servers with one primary, which they choose themselves. In containers: MariaDB has no such groups. */
export class GroupReplication implements AsyncDisposable {
  readonly members: readonly RunningServer[];

  private constructor(members: readonly RunningServer[]) {
    this.members = members;
  }

  static async start(): Promise<GroupReplication> {
    const name = randomUUID();
    const starting = [1, 2, 3].map((id) => startMysql({ from: 'containers', args: argumentsOf(id, name) }));
    const group = new GroupReplication(await Promise.all(starting));
    for (const member of group.members) {
      await sql(member.url, 'RESET BINARY LOGS AND GTIDS');
      await group.join(member, { begins: member === group.members[0] });
    }
    return group;
  }

  /** After each start a member is told where it is now, and joins. */
  async join(member: RunningServer, { begins = false } = {}): Promise<void> {
    const places = await Promise.all(this.members.map(reachable));
    const { host } = await reachable(member);
    await sql(
      member.url,
      `SET GLOBAL group_replication_local_address = '${host}:${GROUP_PORT}'`,
      `SET GLOBAL group_replication_group_seeds = '${places.map((one) => `${one.host}:${GROUP_PORT}`).join()}'`,
      `SET GLOBAL group_replication_advertise_recovery_endpoints = '${host}:3306'`,
      "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root' FOR CHANNEL 'group_replication_recovery'",
      `SET GLOBAL group_replication_bootstrap_group = ${begins ? 'ON' : 'OFF'}`,
      'START GROUP_REPLICATION',
      'SET GLOBAL group_replication_bootstrap_group = OFF',
    );
    const state =
      'SELECT member_state AS state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid';
    await until(async () => (await sql(member.url, state))[0]?.state === 'ONLINE', { what: 'a member has joined' });
  }

  /** Waits until one of these members is the primary. */
  async primaryOf(members: readonly RunningServer[]): Promise<RunningServer> {
    const role = `SELECT 1 FROM performance_schema.replication_group_members
      WHERE member_id = @@server_uuid AND member_role = 'PRIMARY' AND member_state = 'ONLINE' AND NOT @@global.super_read_only`;
    return await until(async () => {
      const are = await Promise.all(members.map(async ({ url }) => (await sql(url, role)).length > 0));
      return members[are.indexOf(true)];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.remove()));
  }
}

function argumentsOf(id: number, name: string): string[] {
  return [
    `--server-id=${id}`,
    ...['--log-bin=binlog', '--gtid-mode=ON', '--enforce-gtid-consistency=ON', '--performance-schema=ON'],
    '--plugin-load-add=group_replication.so',
    `--loose-group-replication-group-name=${name}`,
    '--loose-group-replication-start-on-boot=OFF',
    '--loose-group-replication-recovery-get-public-key=ON',
  ];
}
