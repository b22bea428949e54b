import type { TransportName } from '../../src/tools/harness/namespace.ts';

export interface SoakOptions {
  /** How long, without the servers' start. The round under way is brought to its end. */
  readonly minutes: number;
  /** Of everything that is drawn at random; what comes before what, the machine decides. */
  readonly seed: number;
  readonly transports: readonly TransportName[];
  /** For people, a line at a time. */
  readonly print: (line: string) => void;
  /** Ends it at once, wherever it is. */
  readonly signal: AbortSignal;
}
