import type { Logger } from 'pino';
import type { Leases } from '../redis/lease.ts';
import { pause } from '../timing/backoff.ts';

/** Before a lease is asked for again after an error, ms. */
const RETRY_MS = 1_000;

export interface StandingJob {
  /** Of the lease. */
  readonly name: string;
  /** Must end soon after the signal: this process ends, or the lease is lost. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}

/** Does the job for as long as this process holds its lease, and otherwise stands by, until aborted. It never rejects. */
export async function whileLeading(leases: Leases, job: StandingJob, signal: AbortSignal): Promise<void> {
  const { name, work, logger } = job;
  while (!signal.aborted) {
    try {
      await leases.hold(name, ({ lost }) => work(AbortSignal.any([signal, lost])), { signal });
    } catch (error) {
      if (signal.aborted) return;
      logger.debug({ err: error, lease: name }, 'the lease cannot be asked for now');
      await pause(RETRY_MS, signal);
    }
  }
}
