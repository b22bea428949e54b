/** What a server says of itself. */
export interface Probe {
  readonly product: string;
  readonly version: string;
  /** Tells one server from another that took its port: a process id, a data directory or a cluster id. */
  readonly identity: string;
}

/** Milliseconds that one attempt to reach a server may take. */
export const PROBE_TIMEOUT = 3_000;
