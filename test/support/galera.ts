import { existsSync } from 'node:fs';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import { findProgram } from '../../src/tools/devservers/launch/machine.ts';
import { type RunningServer, startMysql } from '../../src/tools/devservers/start-server.ts';
import { sql } from './servers.ts';
import { until } from './until.ts';

/** Debian's mariadb-server depends on the package that has it. */
const PROVIDER = '/usr/lib/galera/libgalera_smm.so';

/** The nodes are programs: MySQL in the containers knows no Galera. */
export const canStartGalera = (): boolean => findProgram('mariadbd') !== undefined && existsSync(PROVIDER);

/** Three nodes of a Galera cluster. The first has begun the cluster: do not restart it. */
export class Galera implements AsyncDisposable {
  readonly nodes: readonly RunningServer[];

  private constructor(nodes: readonly RunningServer[]) {
    this.nodes = nodes;
  }

  static async start(): Promise<Galera> {
    const places: Place[] = [];
    for (let i = 0; i < 3; i++)
      places.push({ port: await freePort(), group: await freePort(), changes: await freePort() });
    const nodes: RunningServer[] = [];
    for (const place of places) {
      const begins = nodes.length === 0 ? ['--wsrep-new-cluster'] : [];
      const args = [...argumentsOf(place, places), ...begins];
      nodes.push(await startMysql({ from: 'programs', port: place.port, args }));
    }
    const galera = new Galera(nodes);
    await galera.untilJoined();
    return galera;
  }

  /** Waits until these nodes, by default all, are members that have everything. */
  async untilJoined(nodes = this.nodes): Promise<void> {
    const status = "SHOW STATUS WHERE Variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size')";
    for (const { url } of nodes) {
      await until(
        async () =>
          (await sql(url, status))
            .map(({ Value }) => Value)
            .sort()
            .join() === `${nodes.length},Synced`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
  }
}

/** Ports of a node. */
interface Place {
  readonly port: number;
  /** For the other nodes, and for the changes that it lacks. */
  readonly group: number;
  readonly changes: number;
}

function argumentsOf({ port, group, changes }: Place, all: readonly Place[]): string[] {
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${PROVIDER}`,
    `--wsrep-cluster-address=gcomm://${all.map((one) => `127.0.0.1:${one.group}`).join()}`,
    `--wsrep-node-address=127.0.0.1:${group}`,
    `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};ist.recv_addr=127.0.0.1:${changes};gcache.size=32M`,
    // By SQL: rsync would not write into a folder of root's.
    ...['--wsrep-sst-method=mysqldump', '--wsrep-sst-auth=root:', `--wsrep-sst-receive-address=127.0.0.1:${port}`],
    ...['--binlog-format=ROW', '--innodb-autoinc-lock-mode=2'],
  ];
}
