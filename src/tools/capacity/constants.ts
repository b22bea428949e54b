import measured from './constants.json' with { type: 'json' };

/** A straight line: the value at zero, and what each unit adds. */
export interface CostLine {
  readonly fixed: number;
  readonly each: number;
}

/** What the benchmarks measured on one kind of MySQL: see docs/sizing.md. */
export interface Constants {
  readonly measuredOn: string;
  /** Bytes by which Redis grows for an index, by its members: its own tables included. */
  readonly indexBytes: CostLine;
  /** Bytes of them in the index's two keys, as MEMORY USAGE counts. */
  readonly keyBytes: CostLine;
  /** Seconds of one consumer for a contact task: two users' indexes. */
  readonly contactTaskSeconds: Readonly<Record<SizedTransport, number>>;
  /** Seconds of one consumer for an upload, by its followers. */
  readonly uploadSeconds: Readonly<Record<SizedTransport, CostLine>>;
  /** Indexes that one Redis writes in a second for one consumer. */
  readonly redisWritesPerSecond: number;
  /** Seconds of one API process for an answer. */
  readonly readSeconds: number;
  /** Seconds of one backfill for a user, by contacts. */
  readonly backfillSeconds: CostLine;
  /** Tasks a second that one relay carried; its limit was not looked for. */
  readonly relayTasksPerSecond: number;
}

export type SizedTransport = 'kafka' | 'streams';

export const PRODUCTS = ['mariadb', 'mysql'] as const;
export type Product = (typeof PRODUCTS)[number];

/** Made from bench/results by `npm run bench:document`. */
export const CONSTANTS: Readonly<Record<Product, Constants>> = measured;
