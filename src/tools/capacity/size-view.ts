import { CONSTANTS } from './constants.ts';
import type { Load } from './load.ts';
import type { Site } from './site.ts';
import type { Sizing } from './sizing.ts';

/** The one object of `size --json`. */
export function sizingView(site: Site, { memory, mean, peak, processes, celebrity, clusters }: Sizing) {
  return {
    measured_on: CONSTANTS[site.database].measuredOn,
    memory: {
      indexes: Math.round(memory.indexes),
      members_per_index: rounded(memory.members),
      bytes_per_index: Math.round(memory.bytesPerIndex),
      key_bytes_per_index: Math.round(memory.keyBytesPerIndex),
      bytes_per_full_index: Math.round(memory.bytesPerFullIndex),
      bytes: Math.round(memory.bytes),
      backfill_seconds: rounded(memory.backfillSeconds),
    },
    mean: loadView(mean),
    peak: loadView(peak),
    processes: {
      consumers_busy: rounded(processes.consumersBusy),
      consumers: processes.consumers,
      relays: processes.relays,
      apis: processes.apis,
      partitions: processes.partitions ?? null,
    },
    celebrity: {
      followers: celebrity.followers,
      seconds: rounded(celebrity.seconds),
      mysql_statements: celebrity.mysqlStatements,
      redis_calls: celebrity.redisCalls,
    },
    clusters: clusters.map((cluster) => ({
      masters: cluster.masters,
      busiest_share: rounded(cluster.busiestShare),
      busiest_bytes: Math.round(cluster.busiestBytes),
      index_writes_per_second: Math.round(cluster.indexWritesPerSecond),
      busy_at_peak: rounded(cluster.busyAtPeak),
      calls_per_500_followers: Math.round(cluster.callsPerPage),
    })),
  };
}

function loadView({ tasks, indexWrites, reads, mysqlStatements, redisCalls }: Load) {
  return {
    tasks_per_second: rounded(tasks),
    index_writes_per_second: rounded(indexWrites),
    reads_per_second: rounded(reads),
    mysql_statements_per_second: { least: rounded(mysqlStatements.least), most: rounded(mysqlStatements.most) },
    redis_calls_per_second: { least: rounded(redisCalls.least), most: rounded(redisCalls.most) },
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
