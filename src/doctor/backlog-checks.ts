import type { Database } from '../mysql/database.ts';
import { COUNTED, readOutboxLag } from '../mysql/outbox.ts';
import { readRecheckBacklog } from '../mysql/rechecks.ts';
import type { DelayQueue } from '../redis/delay-queue.ts';
import type { StreamFill } from '../transport/streams/publisher.ts';
import { type Checks, fine, problem, type Verdict, warning } from './finding.ts';

export interface Backlog {
  readonly primary: Database;
  readonly delayQueue: DelayQueue;
  /** Undefined: it cannot be told. */
  readonly transportLag: () => Promise<number | undefined>;
  /** Undefined: the transport has no bound. */
  readonly fill: (() => Promise<StreamFill>) | undefined;
}

/** What is on its way: every change that waits is an answer about to be wrong. */
export function backlogChecks({ primary, delayQueue, transportLag, fill }: Backlog): Checks {
  return {
    outbox: async () => {
      const { rows, oldestMs } = await readOutboxLag(primary);
      return outboxVerdict(rows, oldestMs / 1000);
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
      return warning(`${lag} tasks wait`, 'Start more `recency consume`, and look into their log.');
    },
    ...(fill === undefined ? {} : { stream: async () => fillVerdict(await fill()) }),
    'delay queue': async () => {
      const items = await delayQueue.size();
      if (items < MANY) return fine(`${items} items`);
      return warning(`${items} items`, NO_CONSUMER);
    },
  };
}

const NO_CONSUMER = 'Is a `recency consume` running? It also does what was put off.';

/** Acknowledged tasks are removed within a second or two, so what is there waits, all but the latest. */
function fillVerdict({ entries, max }: StreamFill): Verdict {
  const text = `${entries} of ${max} tasks`;
  if (entries < max / 2) return fine(text);
  const mend = 'Start more `recency consume`, and look into their log; RECENCY_STREAM_MAX_LENGTH is the bound.';
  if (entries < max) return warning(`${text}: when it is full, the relay waits`, mend);
  return problem(`${text}: it is full, the relay waits, and POST /v1/tasks answers 503`, mend);
}

const MANY = 10_000;

/** A lease may have to pass first. */
const RECHECKS_LATE_MS = 60_000;
const LATE_S = 10;
const TOO_LATE_S = 60;

function outboxVerdict(rows: number, oldestS: number): Verdict {
  const text = `${rows}${rows >= COUNTED ? ' or more' : ''} rows wait, the oldest for ${oldestS.toFixed(1)} s`;
  if (rows === 0) return fine('no row waits');
  if (oldestS < LATE_S) return fine(text);
  const mend = 'Is a `recency relay` running? Its log says what keeps it.';
  return oldestS < TOO_LATE_S ? warning(text, mend) : problem(text, mend);
}
