import type { Logger } from 'pino';
import { unavailableProblem } from '../api/http-problem.ts';
import type { AcceptTasks } from '../api/routes/post-tasks.ts';
import { ServerAway, StartError } from '../config/start-error.ts';
import type { Id } from '../contracts/id.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import type { Database } from '../mysql/database.ts';
import { DatabaseUnavailable } from '../mysql/faults.ts';
import type { AppliedWatermark } from '../query/applied-watermark.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import type { Deadline } from '../timing/deadline.ts';
import { pause, retry } from '../timing/loop.ts';
import { activeParent } from '../tracing/tracing.ts';
import { KafkaUnavailable } from '../transport/kafka/errors.ts';
import { type TaskPublisher, TransportFull } from '../transport/task-publisher.ts';
import { apiQueries } from './api-queries.ts';
import type { ProcessContext, Times } from './run-process.ts';
import type { ConnectingStores } from './stores.ts';

interface ServerAdmissionOptions<Name extends string> {
  /** For each server: waits for it, at most `withinMs`, and runs every check of a start. Rejects with the reason. */
  readonly servers: Readonly<Record<Name, (withinMs: number) => Promise<void>>>;
  /** The last step of a start, once every server has passed. @throws StartError when this process must not run */
  readonly agree: () => Promise<void>;
  readonly logger: Logger;
  /** Time for the first attempt, ms (5,000). */
  readonly firstMs?: number;
  /** Pause between two attempts, ms (1,000). */
  readonly retryMs?: number;
}

/** Time for each later attempt, ms. */
const RETRY_WITHIN_MS = 2_000;

/** Interval of log lines that say what the process waits for, ms. */
const LOG_INTERVAL_MS = 30_000;

/** Whether a server is unavailable, so that the same start may succeed later. */
function isServerUnavailable(error: unknown): boolean {
  return [ServerAway, DatabaseUnavailable, RedisUnavailable, KafkaUnavailable].some((type) => error instanceof type);
}

/**
 * Retries for as long as a server is unavailable, and logs now and then what it waits for.
 * @throws any other error of `attempt`; the signal's reason
 */
export async function untilAvailable(
  attempt: () => Promise<void>,
  { logger, signal, retryMs = 1_000 }: { logger: Logger; signal: AbortSignal; retryMs?: number },
): Promise<void> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const onFailure = (error: unknown) => {
    signal.throwIfAborted();
    if (!isServerUnavailable(error)) throw error;
    if (performance.now() - loggedAt >= LOG_INTERVAL_MS) {
      loggedAt = performance.now();
      logger.warn(`waiting: ${(error as Error).message}`);
    }
    return retryMs;
  };
  await retry(attempt, { signal, onFailure });
}

/**
 * Admits the servers that the API can do without for a while (Redis and the transport), each once it has passed the checks of a
 * start. Until all have passed, no index is trusted, because nothing is known yet about what Redis holds.
 */
export class Admission<Name extends string> {
  readonly #options: ServerAdmissionOptions<Name>;
  readonly #missing: Set<Name>;
  readonly #reported = new Map<Name, string>();
  #isComplete = false;

  constructor(options: ServerAdmissionOptions<Name>) {
    this.#options = options;
    this.#missing = new Set(Object.keys(options.servers) as Name[]);
  }

  /** Every server has passed its checks, and the shared settings are agreed on. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  has(name: Name): boolean {
    return !this.#missing.has(name);
  }

  /** Makes the first attempt. @throws StartError when a server answers but cannot be used: wrong password, no permission */
  async begin(signal: AbortSignal): Promise<void> {
    const { firstMs = 5_000 } = this.#options;
    const failures = await this.#admit(firstMs);
    signal.throwIfAborted();
    for (const error of failures.values()) if (!isServerUnavailable(error)) throw error;
    this.#report(failures);
    await this.#agree();
  }

  /**
   * Retries until all servers are admitted, or aborted. A server that cannot be used is logged as an error but does not end the
   * process, because MySQL answers meanwhile.
   * @throws StartError when other processes use other settings
   */
  async run(signal: AbortSignal): Promise<void> {
    const { retryMs = 1_000 } = this.#options;
    while (!this.#isComplete && !signal.aborted) {
      await pause(retryMs, signal);
      if (signal.aborted) return;
      const failures = await this.#admit(RETRY_WITHIN_MS);
      if (signal.aborted) return;
      this.#report(failures);
      await this.#agree();
    }
  }

  async #admit(withinMs: number): Promise<Map<Name, unknown>> {
    const failures = new Map<Name, unknown>();
    const admitOne = async (name: Name) => {
      try {
        await this.#options.servers[name](withinMs);
        this.#missing.delete(name);
        if (this.#reported.has(name))
          this.#options.logger.info({ server: name }, `${name} is available and has passed its checks`);
      } catch (error) {
        failures.set(name, error);
      }
    };
    await Promise.all([...this.#missing].map(admitOne));
    return failures;
  }

  /** Logs the reason of each failure, once until it changes. */
  #report(failures: ReadonlyMap<Name, unknown>): void {
    for (const [name, error] of failures) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const kind = isServerUnavailable(error) ? 'unavailable' : message;
      if (this.#reported.get(name) === kind) continue;
      this.#reported.set(name, kind);
      const fields = error instanceof StartError ? { server: name } : { server: name, err: error };
      const text = `answers come from MySQL until ${name} is available: ${message}`;
      this.#options.logger[isServerUnavailable(error) ? 'warn' : 'error'](fields, text);
    }
  }

  async #agree(): Promise<void> {
    if (this.#missing.size > 0) return;
    try {
      await this.#options.agree();
      this.#isComplete = true;
    } catch (error) {
      if (!isServerUnavailable(error)) throw error;
      this.#options.logger.debug({ err: error }, 'the shared settings could not be agreed on yet');
    }
  }
}

interface AdmittedParts {
  readonly stores: ConnectingStores;
  /** The server that answers. */
  readonly reading: Database;
  readonly admission: Pick<Admission<'redis' | 'transport'>, 'has' | 'isComplete'>;
  readonly watermark: Pick<AppliedWatermark, 'lagOfAnswer'>;
  readonly times: Pick<Times, 'readerDayMs'>;
}

/** The queries of the API. No index is used before everything is admitted, and none is written to a Redis that is not. */
export function admittedQueries(
  context: ProcessContext,
  { stores, reading, admission, watermark, times }: AdmittedParts,
): ReturnType<typeof apiQueries> {
  const watch = admittedTrust(stores.watch, admission);
  const lagMs = () => watermark.lagOfAnswer();
  const queries = apiQueries(context, { ...stores, watch }, { reading, lagMs, ...times });
  const { answers, forget, fanOuts } = queries;
  const requireRedis = () => {
    if (!admission.has('redis')) throw new RedisUnavailable('Redis has not been available since this process started');
  };
  const inRedis =
    <T>(work: (user: Id, deadline?: Deadline) => Promise<T>) =>
    async (user: Id, deadline?: Deadline) => {
      requireRedis();
      return await work(user, deadline);
    };
  return {
    ...queries,
    answers: answers.map(({ inspect, rebuild, ...of }) => {
      return { ...of, inspect: inRedis(inspect), rebuild: inRedis(rebuild) };
    }),
    forget: inRedis(forget),
    fanOuts: async (deadline) => {
      requireRedis();
      return await fanOuts(deadline);
    },
  };
}

/** No Redis is trusted before everything is admitted. */
export function admittedTrust(watch: RedisTrust, admission: Pick<Admission<never>, 'isComplete'>): RedisTrust {
  return {
    isTrusted: () => admission.isComplete && watch.isTrusted(),
    known: () => (admission.isComplete ? watch.known() : undefined),
    distrust: () => watch.distrust(),
    during: async (work) => {
      if (admission.isComplete) return await watch.during(work);
      throw new RedisUnavailable('no index is used until Redis and the transport are both admitted');
    },
  };
}

/** `ce_source` of these tasks. */
const API_SOURCE = '/recency/api';

const FULL_RETRY_SECONDS = 5;

/**
 * A full transport is a 503 with Retry-After: it has room again once the consumers have caught up.
 * @param isAdmitted until it returns true, the transport takes nothing: 503
 */
export function acceptTasks(publisher: Pick<TaskPublisher, 'publish'>, isAdmitted = () => true): AcceptTasks {
  return async (tasks, cause) => {
    if (!isAdmitted()) throw unavailableProblem('transport_unavailable');
    // Without a span of this request, recorded or at all, its caller's context is passed on as it came.
    const trace = activeParent() ?? cause;
    const outgoing = tasks.map(({ task, id }) => ({ task, id, source: API_SOURCE, time: Date.now(), ...trace }));
    await publisher.publish(outgoing).catch((error: unknown) => {
      throw error instanceof TransportFull ? unavailableProblem('transport_full', error, FULL_RETRY_SECONDS) : error;
    });
  };
}
