import { type Celebrity, celebrityOf } from './celebrity.ts';
import { type ClusterSizing, clusterOf } from './cluster.ts';
import { CONSTANTS } from './constants.ts';
import { type Load, loadOf } from './load.ts';
import { type MemorySizing, memoryOf } from './memory.ts';
import { type Processes, processesOf } from './processes.ts';
import type { Site } from './site.ts';

/** What a site takes. */
export interface Sizing {
  readonly memory: MemorySizing;
  readonly mean: Load;
  readonly peak: Load;
  readonly processes: Processes;
  readonly celebrity: Celebrity;
  readonly clusters: readonly ClusterSizing[];
}

/** Arithmetic on what the benchmarks measured: docs/sizing.md. @param masters one cluster for each of these numbers */
export function sizingOf(site: Site, masters: readonly number[], constants = CONSTANTS[site.database]): Sizing {
  const memory = memoryOf(site, constants);
  const peak = loadOf(site, site.peakFactor);
  return {
    memory,
    mean: loadOf(site, 1),
    peak,
    processes: processesOf(site, peak, constants),
    celebrity: celebrityOf(site, constants),
    clusters: masters.map((count) => clusterOf(count, memory, peak, constants)),
  };
}
