import type { Lanes } from '../../../app/consume.ts';
import type { Id } from '../../../contracts/id.ts';
import { EVERYBODY } from '../../../index/drain-barrier.ts';
import { type FanOutInProgress, FanOutProgress } from '../../../index/redis/fan-out-progress.ts';
import { freePort } from '../../devservers/launch/free-port.ts';
import { HttpClient } from '../../harness/http.ts';
import { poll } from '../../harness/poll.ts';
import { type Member, RECENCY, type ServiceProcess } from '../../harness/processes/process-group.ts';
import type { Ground } from '../bench.ts';
import { uploadBy } from './audience.ts';

const LOOK_MS = 20;

/** For a process to start and join its group, and for a fan-out, ms. */
const PATIENCE_MS = 300_000;

interface Worker {
  readonly process: ServiceProcess;
  readonly metricsPort: number;
}

/** Processes of `recency consume`, all alike. */
export class Workers implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #settings: Member['settings'];
  readonly #workers: Worker[] = [];
  #started = 0;

  /** @param settings besides those of the namespace */
  constructor(ground: Ground, settings: NonNullable<Member['settings']> = {}) {
    this.#ground = ground;
    this.#settings = settings;
  }

  /** Starts more, and waits until all are ready. @param lanes of each of them @throws Error when one is not */
  async add(count: number, lanes: Lanes = 'both'): Promise<void> {
    for (let i = 0; i < count; i++) {
      const metricsPort = await freePort();
      const settings = { ...this.#settings, METRICS_PORT: String(metricsPort) };
      const name = `consumer ${++this.#started}`;
      const process = this.#ground.processGroup.start({
        name,
        module: RECENCY,
        args: ['consume', '--lanes', lanes],
        settings,
      });
      this.#workers.push({ process, metricsPort });
    }
    const look = async () => (await Promise.all(this.#workers.map(isReady))).every(Boolean);
    const { signal } = this.#ground;
    const areReady = await poll(look, Boolean, { everyMs: LOOK_MS, timeoutMs: PATIENCE_MS, signal });
    if (!areReady) throw new Error('a consumer is not ready');
  }

  /** Ends the oldest with SIGKILL. */
  async killOne(): Promise<void> {
    const worker = this.#workers.shift();
    if (worker) await this.#ground.processGroup.kill(worker.process);
  }

  /** Resident memory of each, bytes. */
  async memory(): Promise<number[]> {
    return await Promise.all(this.#workers.map(async ({ process }) => (await process.usage()).residentBytes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(({ process }) => this.#ground.processGroup.stop(process)));
  }
}

async function isReady({ metricsPort }: Worker): Promise<boolean> {
  const answer = await new HttpClient(`http://127.0.0.1:${metricsPort}`).get('/readyz').catch(() => undefined);
  return answer?.status === 200;
}

export interface MeasuredFanOut {
  /** From the commit until both lanes have acknowledged everything. */
  readonly seconds: number;
  /** How far the predicted end was from the last segment's, when a tenth was done, as a share of the time since the commit; 0 if nobody looked then. */
  readonly predictionError: number;
}

/** The least that is done when the end is predicted. */
const PREDICTED_AFTER = 0.1;

/**
 * An upload, and its fan-out until the last follower. The transport is asked only when no fan-out seems to be in progress,
 * because that costs its server more than Redis.
 * @param meanwhile awaited once, after the first segment
 */
export async function fanOutOf(
  owner: Id,
  { stores, namespace, signal }: Ground,
  meanwhile?: () => Promise<void>,
): Promise<MeasuredFanOut> {
  const progress = new FanOutProgress(stores.redis, namespace.config.keyPrefix);
  await uploadBy(stores.pool, owner);
  const from = performance.now();
  const barrier = await stores.raiseBarrier([EVERYBODY]);
  let isUntouched = meanwhile !== undefined;
  let predicted: FanOutInProgress | undefined;
  const committedAt = Date.now();
  let lastSeenAt = committedAt;
  const look = async () => {
    const [one] = await progress.list(Date.now());
    if (one !== undefined) {
      lastSeenAt = Date.now();
      if (one.segments.done >= PREDICTED_AFTER * one.segments.of) predicted ??= one;
    }
    if (isUntouched && one !== undefined && one.segments.done > 0) {
      isUntouched = false;
      await meanwhile?.();
    }
    return one === undefined && (await barrier.passed());
  };
  const isDone = await poll(look, Boolean, { everyMs: LOOK_MS, timeoutMs: PATIENCE_MS, signal });
  if (!isDone) throw new Error('a fan-out did not end');
  const { endsAt = lastSeenAt } = predicted ?? {};
  const predictionError = predicted === undefined ? 0 : Math.abs(endsAt - lastSeenAt) / (lastSeenAt - committedAt);
  return { seconds: (performance.now() - from) / 1000, predictionError };
}
