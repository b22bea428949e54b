import { DEFAULT_PARTITIONS } from '../../transport/kafka/topic-admin.ts';
import type { Constants } from './constants.ts';
import type { Load } from './load.ts';
import { at } from './memory.ts';
import type { Site } from './site.ts';

export interface Processes {
  /** How much of the time so many consumers would be busy at the peak: 2.5 is two and a half of them. */
  readonly consumersBusy: number;
  readonly consumers: number;
  readonly relays: number;
  readonly apis: number;
  /** Of the topic; undefined: a stream has none. */
  readonly partitions: number | undefined;
}

/** Of its time, what a process may be busy at the peak: a queue in front of one that is always busy only grows. */
export const BUSY = 0.7;

/** Of each kind, so that one may fail. */
const LEAST = 2;

/** Partitions for each consumer, so that there may be more of these without moving tasks to another partition. */
const PARTITIONS_A_CONSUMER = 2;

/** @param peak the busiest second */
export function processesOf(site: Site, peak: Load, constants: Constants): Processes {
  const { transport, followersPerUploader } = site;
  const upload = at(constants.uploadSeconds[transport], followersPerUploader);
  const consumersBusy = peak.uploads * upload + peak.contactTasks * constants.contactTaskSeconds[transport];
  const consumers = atLeastTwo(consumersBusy / BUSY);
  return {
    consumersBusy,
    consumers,
    relays: atLeastTwo(peak.tasks / constants.relayTasksPerSecond),
    apis: atLeastTwo((peak.reads * constants.readSeconds) / BUSY),
    partitions: transport === 'kafka' ? Math.max(DEFAULT_PARTITIONS, consumers * PARTITIONS_A_CONSUMER) : undefined,
  };
}

function atLeastTwo(count: number): number {
  return Math.max(LEAST, Math.ceil(count));
}
