import type { TransportName } from '../../src/tools/harness/namespace.ts';

export interface SoakOptions {
  /** Duration, without starting the servers. The current round is completed. */
  readonly minutes: number;
  /** Seed of all random choices. Timing still depends on the machine. */
  readonly seed: number;
  /** Who use the site: few, so that their actions collide. */
  readonly people: number;
  readonly transports: readonly TransportName[];
  /** Called with one line of text at a time. */
  readonly print: (line: string) => void;
  /** Ends the soak at once. */
  readonly signal: AbortSignal;
}
