import type { Feed } from '../harness/servers.ts';

export interface DemoOptions {
  /** Undefined: Kafka if a broker is available, otherwise streams. */
  readonly transport: 'kafka' | 'streams' | undefined;
  /** Whether the site writes tasks to its outbox, or its changes are captured from the binary log. */
  readonly feed: Feed;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  /** People with contacts of their own, whose numbers follow a power law. */
  readonly users: number;
  /** Contacts of the user who has the most; half as many people follow the star. */
  readonly most: number;
  /** A temporal edge list to import instead of generating people. */
  readonly data: string | undefined;
  readonly seed: number;
  /** Duration of the play. */
  readonly seconds: number;
  /** Tasks in the burst that measures the throughput. */
  readonly burst: number;
  /** Uploads that watches are told of. */
  readonly uploads: number;
  /** Rounds of the latency table. */
  readonly rounds: number;
}

export const DEFAULTS: DemoOptions = {
  transport: undefined,
  feed: 'outbox',
  install: false,
  users: 5_000,
  most: 20_000,
  data: undefined,
  seed: 1,
  seconds: 15,
  burst: 20_000,
  uploads: 20,
  rounds: 30,
};

/** Minimum values; the play needs them. */
export const LEAST = { users: 20, most: 20, seconds: 2, burst: 1, uploads: 1, rounds: 1 } as const;
