import { LANES, type Lane } from '../contracts/lane.ts';
import type { Database } from '../mysql/database.ts';
import { COUNTED, type OutboxLag, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { pause } from '../timing/backoff.ts';
import { withTimeout } from '../timing/deadline.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import { type Checks, fine, problem, type Verdict, warning } from './finding.ts';

export interface BacklogSources {
  readonly watermark: Pick<AppliedWatermark, 'lagMs'>;
  /** How it is measured first, and for how long at most, ms; undefined: this process measures all the time. */
  readonly measuring?: { readonly measure: AppliedWatermark['measure']; readonly patienceMs: number };
  readonly primary: Database;
  /** Of every kind in use. */
  readonly delayQueues: readonly Pick<DelayQueue, 'size'>[];
  /** Undefined: the lag is not known. */
  readonly transportLag: () => Promise<number | undefined>;
  /** The same of the bulk lane. */
  readonly bulkLag: () => Promise<number | undefined>;
  /** Undefined: the transport has no limit. */
  readonly fill: (() => Promise<StreamFill>) | undefined;
}

/** Work that waits. Until a change is processed, answers from the index may lack it. */
export function backlogChecks(sources: BacklogSources): Checks {
  const { primary, delayQueues, transportLag, bulkLag, fill } = sources;
  return {
    'oldest unapplied': () => unappliedVerdict(sources),
    outbox: async () => {
      return outboxVerdict(await readOutboxLag(primary));
    },
    're-checks': async () => {
      const { rows, overdueMs } = await readRecheckBacklog(primary, COUNTED);
      const text = `${rows}${rows >= COUNTED ? ' or more' : ''} wait`;
      if (overdueMs < RECHECKS_LATE_MS) return fine(rows === 0 ? 'none waits' : text);
      return warning(`${text}, the first has been due for ${(overdueMs / 1000).toFixed(1)} s`, NO_CONSUMER);
    },
    transport: async () => {
      const lag = await transportLag();
      if (lag === undefined) return fine('not known: nothing has been consumed yet');
      if (lag < MANY) return fine(`${lag} tasks wait`);
      return warning(`${lag} tasks wait`, 'Start more `recency consume` processes, and read their logs.');
    },
    'bulk lane': async () => {
      const lag = await bulkLag();
      if (lag === undefined) return fine('not known: nothing has been consumed yet');
      const text = `${lag} plans and segments of large audiences wait`;
      if (lag < MANY_SEGMENTS) return fine(text);
      return warning(text, 'Start more `recency consume` processes, with `--lanes bulk` for these alone.');
    },
    ...(fill === undefined ? {} : { stream: async () => fillVerdict(await fill()) }),
    'delay queue': async () => {
      const sizes = await Promise.all(delayQueues.map((queue) => queue.size()));
      const items = sizes.reduce((sum, size) => sum + size, 0);
      if (items < MANY) return fine(`${items} items`);
      return warning(`${items} items`, NO_CONSUMER);
    },
  };
}

/** ms of each lane. A large audience takes its time. */
const UNAPPLIED_MS: Readonly<Record<Lane, { readonly late: number; readonly tooLate: number }>> = {
  small: { late: 10_000, tooLate: 60_000 },
  bulk: { late: 60_000, tooLate: 600_000 },
};

const BETWEEN_LOOKS_MS = 100;

/** How old the oldest change may be that is not applied, of each lane. */
export function unappliedText(watermark: Pick<AppliedWatermark, 'lagMs'>): string {
  const ageOf = (lane: Lane) => {
    const ms = watermark.lagMs(lane);
    return `${lane} lane ${ms === undefined ? 'not known' : `${(ms / 1000).toFixed(1)} s`}`;
  };
  return LANES.map(ageOf).join(', ');
}

/** The one number: the others say where it comes from. */
async function unappliedVerdict({ watermark, measuring }: BacklogSources): Promise<Verdict> {
  const failure = measuring && (await measured(watermark, measuring));
  const ages = LANES.map((lane) => ({ lane, ms: watermark.lagMs(lane) }));
  const text = unappliedText(watermark) + (failure === undefined ? '' : `: ${failure}`);
  const isOver = (limit: 'late' | 'tooLate') =>
    ages.some(({ lane, ms }) => ms !== undefined && ms > UNAPPLIED_MS[lane][limit]);
  const fix = 'The checks below say where changes wait; docs/runbook.md (RecencyChangesNotApplied) says what to do.';
  if (isOver('tooLate')) return problem(text, fix);
  if (isOver('late') || ages.some(({ ms }) => ms === undefined)) return warning(text, fix);
  return fine(text);
}

/**
 * Measures until nothing is late, or patience ends.
 * @returns why the last measurement failed
 */
async function measured(
  watermark: BacklogSources['watermark'],
  { measure, patienceMs: ms }: NonNullable<BacklogSources['measuring']>,
): Promise<string | undefined> {
  const deadline = performance.now() + ms;
  for (;;) {
    const look = withTimeout(measure(), ms, () => new Error(`no answer within ${ms} ms`));
    const failure = await look.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const isLate = LANES.some((lane) => (watermark.lagMs(lane) ?? Number.POSITIVE_INFINITY) > ms);
    if (failure !== undefined || !isLate || performance.now() >= deadline) return failure;
    await pause(BETWEEN_LOOKS_MS);
  }
}

const NO_CONSUMER = 'Is a `recency consume` running? It also does the delayed work.';

/** Acknowledged tasks are removed within a second or two, so almost all that is there waits. */
function fillVerdict({ entries, max }: StreamFill): Verdict {
  const text = `${entries} of ${max} tasks`;
  if (entries < max / 2) return fine(text);
  const fix = 'Start more `recency consume` processes, and read their logs; RECENCY_STREAM_MAX_LENGTH is the limit.';
  if (entries < max) return warning(`${text}: when it is full, the relay waits`, fix);
  return problem(`${text}: it is full, the relay waits, and POST /v1/tasks answers 503`, fix);
}

/** Tasks or delayed items. */
const MANY = 10_000;

/** Followers of ten million, in segments. */
const MANY_SEGMENTS = 500;

/** A lease may have to end first. */
const RECHECKS_LATE_MS = 60_000;

const LATE_S = 10;
const TOO_LATE_S = 60;

function outboxVerdict({ rows, oldestMs, ahead }: OutboxLag): Verdict {
  const oldestS = oldestMs / 1000;
  const text = `${rows}${rows >= COUNTED ? ' or more' : ''} rows wait, the oldest for ${oldestS.toFixed(1)} s`;
  if (rows === 0) return fine('no row waits');
  const fix = 'Is a `recency relay` running? Its log says what is wrong.';
  if (oldestS >= TOO_LATE_S) return problem(text, fix);
  if (oldestS >= LATE_S) return warning(text, fix);
  if (ahead === 0) return fine(text);
  const dated = `${text}; ${ahead} of them dated in the future: nobody knows for how long`;
  return warning(dated, `${fix} Compare the clocks of MySQL and of whoever writes created_at.`);
}
