import { LANES, type Lane } from '../contracts/bulk-task.ts';
import type { Database } from '../mysql/database.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import { withTimeout } from '../timing/deadline.ts';
import { pause } from '../timing/loop.ts';
import { type DeadLetters, letterTime } from '../transport/dead-letters.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import type { Transport } from '../transport/transport.ts';
import { type Checks, counting, fine, messageOf, problem, type Verdict, warning } from './finding.ts';

/** How many tasks wait in each lane, and how many consumers take them. */
type LaneStates = { readonly [lane in Lane]: Pick<Transport, 'lag' | 'consumers'> };

interface BacklogSources {
  readonly watermark: Pick<AppliedWatermark, 'lagShownMs'>;
  /** How it is measured first, and for how long at most, ms; undefined: this process measures all the time. */
  readonly measuring?: { readonly measure: AppliedWatermark['measure']; readonly patienceMs: number };
  readonly primary: Database;
  /** Of every kind in use. */
  readonly delayQueues: readonly Pick<DelayQueue, 'size'>[];
  /** The users whose watches are to be checked. */
  readonly watched: Pick<DelayQueue, 'size' | 'overdueMs'>;
  readonly transport: LaneStates & Pick<Transport, 'fill'>;
  /** Left out: they are not looked at. */
  readonly deadLetters?: Pick<DeadLetters, 'list'>;
}

/** Work that waits. Until a change is processed, answers from the index may lack it. */
export function backlogChecks(sources: BacklogSources): Checks {
  const { primary, delayQueues, watched, transport, deadLetters } = sources;
  const { small, bulk, fill } = transport;
  return {
    'oldest unapplied': () => measuredVerdict(sources),
    outbox: () => outboxVerdict(primary),
    're-checks': () => recheckVerdict(primary),
    lanes: () => lanesVerdict(transport),
    transport: async () => laneVerdict(sources, 'small', { waiting: await small.lag(), what: 'tasks', many: MANY }),
    'bulk lane': async () =>
      laneVerdict(sources, 'bulk', {
        waiting: await bulk.lag(),
        what: 'plans and segments of large audiences',
        many: MANY_SEGMENTS,
      }),
    ...(fill === undefined ? {} : { stream: () => fillVerdict(fill) }),
    'delay queue': () => delayedVerdict(delayQueues),
    notifications: () => watchedVerdict(watched),
    ...(deadLetters === undefined ? {} : { 'dead letters': () => deadLettersVerdict(deadLetters) }),
  };
}

interface LaneBacklog {
  /** Undefined: not known. */
  readonly waiting: number | undefined;
  readonly what: string;
  /** So many are a backlog. */
  readonly many: number;
}

/** A lane is judged by how many wait and by how long: one task that nobody takes is as late as ten thousand. */
function laneVerdict({ watermark }: BacklogSources, lane: Lane, { waiting, what, many }: LaneBacklog): Verdict {
  if (waiting === undefined) {
    return warning('not known: nothing has been consumed yet', `Start \`recency consume\`, for the ${lane} lane too.`);
  }
  const ms = watermark.lagShownMs(lane);
  const isLate = waiting > 0 && (ms === undefined || ms > UNAPPLIED_MS[lane].late);
  const age = ms === undefined ? ', nobody knows for how long' : `, the oldest for ${seconds(ms)} at most`;
  const text = `${waiting} ${what} wait${waiting > 0 ? age : ''}`;
  if (isLate)
    return warning(text, `Does a \`recency consume\` take from the ${lane} lane (\`--lanes\`)? If so, read its log.`);
  if (waiting < many) return fine(text);
  const fix = 'Start more `recency consume` processes, and read their logs';
  return warning(text, `${fix}; with \`--lanes ${lane}\` they take from this lane alone.`);
}

/**
 * Who takes from each lane. A lane without consumers is a problem as soon as a task waits in it, for however short a time. While
 * nothing waits, it is a problem if the other lane has consumers: the next large fan-out would wait for ever.
 */
export async function lanesVerdict(lanes: LaneStates): Promise<Verdict> {
  const found = await Promise.all(
    LANES.map(async (lane) => ({ lane, members: await lanes[lane].consumers(), lag: (await lanes[lane].lag()) ?? 0 })),
  );
  const text = found
    .map(({ lane, members }) => `${lane} lane: ${members === undefined ? 'not known' : counting(members, 'consumer')}`)
    .join(', ');
  const isAny = found.some(({ members }) => members !== undefined && members > 0);
  const missing = found.filter(({ members, lag }) => members === 0 && (isAny || lag > 0));
  if (missing.length === 0) return fine(text);
  const names = missing
    .map(({ lane, lag }) => `no consumer takes from the ${lane} lane, ${counting(lag, 'task')} waiting`)
    .join('; ');
  const wanted = missing.length > 1 ? 'both' : String(missing[0]?.lane);
  return problem(names, `Start \`recency consume --lanes ${wanted}\`.`);
}

/** ms of each lane. A large audience takes its time. */
const UNAPPLIED_MS: Readonly<Record<Lane, { readonly late: number; readonly tooLate: number }>> = {
  small: { late: 10_000, tooLate: 60_000 },
  bulk: { late: 30_000, tooLate: 600_000 },
};

const BETWEEN_LOOKS_MS = 100;

async function measuredVerdict({ watermark, measuring }: BacklogSources): Promise<Verdict> {
  return unappliedVerdict(watermark, measuring && (await measured(watermark, measuring)));
}

/**
 * How old the oldest change may be that is not applied, of each lane. The one number: the others say where it comes from.
 * @param failure why it could not be measured
 */
export function unappliedVerdict(watermark: Pick<AppliedWatermark, 'lagShownMs'>, failure?: string): Verdict {
  const ages = LANES.map((lane) => ({ lane, ms: watermark.lagShownMs(lane) }));
  const said = ages.map(({ lane, ms }) => `${lane} lane ${ms === undefined ? 'not known' : seconds(ms)}`);
  const text = said.join(', ') + (failure === undefined ? '' : `: ${failure}`);
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
    const failure = await look.then(() => undefined, messageOf);
    const isLate = LANES.some((lane) => (watermark.lagShownMs(lane) ?? Number.POSITIVE_INFINITY) > ms);
    if (failure !== undefined || !isLate || performance.now() >= deadline) return failure;
    await pause(BETWEEN_LOOKS_MS);
  }
}

const NO_CONSUMER = 'Is a `recency consume` running? It also does the delayed work.';

/** How much has been put off to be done later. */
export async function delayedVerdict(queues: BacklogSources['delayQueues']): Promise<Verdict> {
  const sizes = await Promise.all(queues.map((queue) => queue.size()));
  const items = sizes.reduce((sum, size) => sum + size, 0);
  if (items < MANY) return fine(`${items} items`);
  return warning(`${items} items`, NO_CONSUMER);
}

/** Which users wait to be checked for what is new to their watches. */
export async function watchedVerdict(queue: BacklogSources['watched']): Promise<Verdict> {
  const [users, overdueMs] = await Promise.all([queue.size(), queue.overdueMs()]);
  if (overdueMs < LATE_S * 1_000) return fine(`${counting(users, 'watched user')} waiting`);
  const text = `${counting(users, 'watched user')} waiting, the first has been due for ${seconds(overdueMs)}`;
  const fix = 'Is a `recency notify` running? Start more of them; they share the queue.';
  return overdueMs < TOO_LATE_S * 1_000 ? warning(text, fix) : problem(text, fix);
}

/** How full the stream is. Acknowledged tasks are removed within a second or two, so almost all that is there waits. */
export async function fillVerdict(fill: () => Promise<StreamFill>): Promise<Verdict> {
  const { entries, max } = await fill();
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

/** Which rows wait to be read again, because their tasks came before their commits. */
export async function recheckVerdict(primary: Database): Promise<Verdict> {
  const { rows, overdueMs } = await readRecheckBacklog(primary, COUNTED);
  const text = `${counted(rows)} wait`;
  if (overdueMs < RECHECKS_LATE_MS) return fine(rows === 0 ? 'none waits' : text);
  return warning(`${text}, the first has been due for ${seconds(overdueMs)}`, NO_CONSUMER);
}

/** More letters are not counted. */
const COUNTED_LETTERS = 100;

/** What the letters say is missing in the indexes until somebody has dealt with them. */
async function deadLettersVerdict(deadLetters: Pick<DeadLetters, 'list'>): Promise<Verdict> {
  const letters = await deadLetters.list({ limit: COUNTED_LETTERS });
  const [oldest] = letters;
  if (oldest === undefined) return fine('none');
  const why = oldest.headers['dlq-exception-message'] ?? 'it does not say why';
  return warning(
    `${counted(letters.length, COUNTED_LETTERS)}, the oldest since ${letterTime(oldest.timestamp)}: ${why}`,
    'Answers may lack what they say. `recency dlq list` shows why; mend it, and then replay or discard them.',
  );
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const counted = (number: number, most = COUNTED) => `${number}${number >= most ? ' or more' : ''}`;

const LATE_S = 10;
const TOO_LATE_S = 60;

/** What waits in the outbox to be published. */
export async function outboxVerdict(primary: Database): Promise<Verdict> {
  const { rows, oldestMs, ahead } = await readOutboxLag(primary);
  const oldestS = oldestMs / 1000;
  const text = `${counted(rows)} rows wait, the oldest for ${seconds(oldestMs)}`;
  if (rows === 0) return fine('no row waits');
  const fix = 'Is a `recency relay` running? Its log says what is wrong.';
  if (oldestS >= TOO_LATE_S) return problem(text, fix);
  if (oldestS >= LATE_S) return warning(text, fix);
  if (ahead === 0) return fine(text);
  const dated = `${text}; ${ahead} of them dated in the future: nobody knows for how long`;
  return warning(dated, `${fix} Compare the clock of MySQL with the clocks of the programs that write created_at.`);
}
