export interface DemoOptions {
  /** Undefined: Kafka when a broker can be had, otherwise streams. */
  readonly transport: 'kafka' | 'streams' | undefined;
  /** Whether missing server programs may be installed. */
  readonly install: boolean;
  /** People with contacts of their own, a power law of them. */
  readonly users: number;
  /** Contacts of the one who has the most, and followers of the star. */
  readonly most: number;
  /** A temporal edge list to import in place of the generated people. */
  readonly data: string | undefined;
  readonly seed: number;
  /** How long the play takes. */
  readonly seconds: number;
  /** Tasks in the burst that the throughput is measured with. */
  readonly burst: number;
}

export const DEFAULTS: DemoOptions = {
  transport: undefined,
  install: false,
  users: 5_000,
  most: 20_000,
  data: undefined,
  seed: 1,
  seconds: 15,
  burst: 20_000,
};

/** What the play needs: smaller ones have no room for it. */
export const LEAST = { users: 20, most: 20, seconds: 2, burst: 1 } as const;
