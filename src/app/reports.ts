import type { Report, Reported } from '../api/readiness.ts';
import {
  delayedVerdict,
  fillVerdict,
  outboxVerdict,
  recheckVerdict,
  unappliedVerdict,
} from '../health/backlog-checks.ts';
import type { Database } from '../mysql/database.ts';
import { readEpochState } from '../mysql/losses.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { Transport } from '../transport/transport.ts';
import type { KindStores } from './stores.ts';

interface Reporting {
  readonly primary: Database;
  /** Those in use. */
  readonly kinds: readonly Pick<KindStores, 'delayQueue'>[];
}

/** What `serve` says beside its checks. Doctor and the console judge the backlogs alike. */
export function apiReports(
  { primary, kinds }: Reporting,
  { fill }: Pick<Transport, 'fill'>,
  watermark: Pick<AppliedWatermark, 'lagMs'>,
): Record<string, Report> {
  return {
    ...relayReports(primary),
    rechecks: () => recheckVerdict(primary),
    epoch: () => epochReport(primary),
    ...(fill === undefined ? {} : { stream: () => fillVerdict(fill) }),
    ...consumerReports({ kinds }),
    oldest_unapplied: async () => unappliedVerdict(watermark),
  };
}

/** The same of a consumer. */
export function consumerReports({ kinds }: Pick<Reporting, 'kinds'>): Record<string, Report> {
  return { delay_queue: () => delayedVerdict(kinds.map(({ delayQueue }) => delayQueue)) };
}

/** The same of a relay. */
export function relayReports(primary: Database): Record<string, Report> {
  return { outbox: () => outboxVerdict(primary) };
}

/** While the epoch is suspended no index is used, and plain SQL answers. */
async function epochReport(primary: Database): Promise<Reported> {
  const { suspended, epoch } = await readEpochState(primary);
  const since = `since ${new Date(epoch.bumpedAt).toISOString()}`;
  if (!suspended) return { state: 'fine', detail: `in force ${since}` };
  return { state: 'warning', detail: `suspended ${since}: ${epoch.why}` };
}
