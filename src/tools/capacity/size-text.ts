import { textTable } from '../../cli/output.ts';
import { CONSTANTS } from './constants.ts';
import type { SiteFigures } from './site.ts';
import type { Range, ServerLoad, Sizing } from './sizing.ts';

/** The object that `size --json` prints. */
export function sizingView(site: SiteFigures, { memory, kept, mean, peak, processes, celebrity, clusters }: Sizing) {
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
    kept: {
      indexes: Math.round(kept.indexes),
      bytes: Math.round(kept.indexes * memory.bytesPerIndex),
      written_share: rounded(kept.writtenShare),
      processors: {
        rules: rounded(kept.processors.rules),
        everybody: rounded(kept.processors.everybody),
        nobody: rounded(kept.processors.nobody),
      },
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
      segments: celebrity.segments,
      mysql_statements: celebrity.mysqlStatements,
      redis_calls: celebrity.redisCalls,
    },
    clusters: clusters.map((cluster) => ({
      masters: cluster.masters,
      busiest_share: rounded(cluster.busiestShare),
      busiest_bytes: Math.round(cluster.busiestBytes),
      index_writes_per_second: Math.round(cluster.indexWritesPerSecond),
      busy_at_peak: rounded(cluster.busyAtPeak),
      celebrity_seconds: rounded(cluster.celebritySeconds),
      calls_per_500_followers: Math.round(cluster.callsPerPage),
    })),
  };
}

function loadView({ tasks, indexWrites, reads, mysqlStatements, redisCalls }: ServerLoad) {
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

export function sizingTable(site: SiteFigures, sizing: Sizing): string {
  const parts = [
    memoryTable(sizing),
    keptTable(sizing),
    loadTable(sizing),
    processTable(sizing),
    celebrityTable(sizing),
  ];
  const { measuredOn } = CONSTANTS[site.database];
  const source = `Based on measurements on ${measuredOn}; how, and what is only estimated: docs/sizing.md`;
  return [...parts, clusterTable(sizing), source].join('\n\n');
}

function memoryTable({ memory }: Sizing): string {
  return textTable(
    ['memory of Redis', ''],
    [
      ['indexes', `${count(memory.indexes)}, of ${decimal(memory.members)} contacts in the mean`],
      ['of one', `${count(memory.bytesPerIndex)} bytes, ${count(memory.keyBytesPerIndex)} of them in its keys`],
      ['of a full one', `${count(memory.bytesPerFullIndex)} bytes`],
      ['of all', `at most ${bytes(memory.bytes)}`],
      ['backfill', duration(memory.backfillSeconds)],
    ],
  );
}

function keptTable({ memory, kept: { indexes, writtenShare, processors } }: Sizing): string {
  return textTable(
    ['only what is read', ''],
    [
      ['indexes', `${count(indexes)}, ${bytes(indexes * memory.bytesPerIndex)}`],
      ['written', `${percent(writtenShare)} of "indexes written"`],
      ['reads and changes', `${decimal(processors.rules)} processors in the mean`],
      ['everybody indexed', `${decimal(processors.everybody)} processors`],
      ['nobody indexed', `${decimal(processors.nobody)} processors`],
    ],
  );
}

function loadTable({ mean, peak }: Sizing): string {
  const row = (name: string, of: (load: ServerLoad) => string) => [name, of(mean), of(peak)];
  return textTable(
    ['a second', 'mean', 'peak'],
    [
      row('tasks', ({ tasks }) => decimal(tasks)),
      row('indexes written', ({ indexWrites }) => decimal(indexWrites)),
      row('answers', ({ reads }) => decimal(reads)),
      row('MySQL statements', ({ mysqlStatements }) => range(mysqlStatements)),
      row('Redis calls', ({ redisCalls }) => range(redisCalls)),
    ],
  );
}

function processTable({ processes }: Sizing): string {
  const { consumers, consumersBusy, relays, apis, partitions } = processes;
  return textTable(
    ['what it takes', ''],
    [
      ['consumers', `${count(consumers)} (${decimal(consumersBusy)} busy at the peak)`],
      ['partitions', partitions === undefined ? 'none: a stream' : count(partitions)],
      ['relays', count(relays)],
      ['API processes', count(apis)],
    ],
  );
}

function celebrityTable({ celebrity }: Sizing): string {
  return textTable(
    [`a photo before ${count(celebrity.followers)} followers`, ''],
    [
      ['takes', `${duration(celebrity.seconds)} of one consumer`],
      ['segments', count(celebrity.segments)],
      ['MySQL statements', count(celebrity.mysqlStatements)],
      ['Redis calls', count(celebrity.redisCalls)],
    ],
  );
}

function clusterTable({ clusters, processes }: Sizing): string {
  return textTable(
    [
      'masters',
      'memory of the busiest',
      'its part',
      'indexes a second',
      'busy at the peak',
      `that photo, ${count(processes.consumers)} consumers`,
    ],
    clusters.map(({ masters, busiestBytes, busiestShare, indexWritesPerSecond, busyAtPeak, celebritySeconds }) => [
      masters,
      bytes(busiestBytes),
      percent(busiestShare),
      count(indexWritesPerSecond),
      percent(busyAtPeak),
      duration(celebritySeconds),
    ]),
  );
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const decimal = (value: number): string => (value < 100 ? String(Number(value.toPrecision(3))) : count(value));
const percent = (share: number): string => `${decimal(share * 100)}%`;
const range = ({ least, most }: Range): string =>
  decimal(least) === decimal(most) ? decimal(most) : `${decimal(least)} to ${decimal(most)}`;

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

function bytes(value: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${decimal(value / 1_000 ** power)} ${SIZES[power]}`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${decimal(seconds)} s`;
  return seconds < 7_200 ? `${decimal(seconds / 60)} min` : `${decimal(seconds / 3_600)} h`;
}
