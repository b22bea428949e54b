import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../mysql/faults.ts';
import { isUnavailable } from '../redis/unavailable.ts';
import { pause } from '../timing/backoff.ts';
import { retry } from '../timing/loop.ts';
import { ServerAway, StartError } from './start-error.ts';

export interface AdmissionOptions<Name extends string> {
  /** By the name of each server: waits for it, at most so many ms, and makes every check of a start. @throws why not */
  readonly servers: Readonly<Record<Name, (withinMs: number) => Promise<void>>>;
  /** What comes last in a start, once every server has passed. @throws StartError when this process must not work */
  readonly agree: () => Promise<void>;
  readonly logger: Logger;
  /** For the first try, ms (5,000). */
  readonly firstMs?: number;
  /** Between two tries, ms (1,000). */
  readonly retryMs?: number;
}

/** For each later try, ms. */
const LATER_MS = 2_000;

/** How often it is said that something is waited for, ms. */
const TOLD_MS = 30_000;

/** Would the same start succeed a little later? */
export function isAway(error: unknown): boolean {
  return error instanceof ServerAway || error instanceof DatabaseUnavailable || isUnavailable(error);
}

/** Tries again, for as long as it takes, and says so now and then. @throws what `attempt` rejects with when no server is away, the signal's reason */
export async function untilThere(
  attempt: () => Promise<void>,
  { logger, signal, retryMs = 1_000 }: { logger: Logger; signal: AbortSignal; retryMs?: number },
): Promise<void> {
  let toldAt = Number.NEGATIVE_INFINITY;
  const onFailure = (error: unknown) => {
    signal.throwIfAborted();
    if (!isAway(error)) throw error;
    if (performance.now() - toldAt >= TOLD_MS) {
      toldAt = performance.now();
      logger.warn(`waiting: ${(error as Error).message}`);
    }
    return retryMs;
  };
  await retry(attempt, { signal, onFailure });
}

/**
 * Lets in the servers that an API can do without for a while (Redis and the transport), each when it has passed the checks
 * that a start makes. Until all have, no index is trusted: the process does not know yet whether what Redis holds is of use.
 */
export class Admission<Name extends string> {
  readonly #options: AdmissionOptions<Name>;
  readonly #missing: Set<Name>;
  readonly #told = new Map<Name, string>();
  #isComplete = false;

  constructor(options: AdmissionOptions<Name>) {
    this.#options = options;
    this.#missing = new Set(Object.keys(options.servers) as Name[]);
  }

  /** Every server was there and passed, and the shared settings are agreed on. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  has(name: Name): boolean {
    return !this.#missing.has(name);
  }

  /** The first try. @throws StartError when a server is there and cannot be worked with: a wrong password, no permission */
  async begin(signal: AbortSignal): Promise<void> {
    const { firstMs = 5_000 } = this.#options;
    const failures = await this.#admit(firstMs);
    signal.throwIfAborted();
    for (const error of failures.values()) if (!isAway(error)) throw error;
    this.#tell(failures);
    await this.#agree();
  }

  /**
   * Tries until all are admitted, or aborted. What cannot be worked with is an error in the log and no end: answers come from
   * MySQL all the while.
   * @throws StartError when other processes work with other settings
   */
  async run(signal: AbortSignal): Promise<void> {
    const { retryMs = 1_000 } = this.#options;
    while (!this.#isComplete && !signal.aborted) {
      await pause(retryMs, signal);
      if (signal.aborted) return;
      this.#tell(await this.#admit(LATER_MS));
      await this.#agree();
    }
  }

  async #admit(withinMs: number): Promise<Map<Name, unknown>> {
    const failures = new Map<Name, unknown>();
    const admitOne = async (name: Name) => {
      try {
        await this.#options.servers[name](withinMs);
        this.#missing.delete(name);
        if (this.#told.has(name))
          this.#options.logger.info({ server: name }, `${name} is there, and passed its checks`);
      } catch (error) {
        failures.set(name, error);
      }
    };
    await Promise.all([...this.#missing].map(admitOne));
    return failures;
  }

  /** Each reason once, until it is another one. */
  #tell(failures: ReadonlyMap<Name, unknown>): void {
    for (const [name, error] of failures) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const kind = isAway(error) ? 'away' : message;
      if (this.#told.get(name) === kind) continue;
      this.#told.set(name, kind);
      const fields = error instanceof StartError ? { server: name } : { server: name, err: error };
      const text = `answers come from MySQL until ${name} is there: ${message}`;
      this.#options.logger[isAway(error) ? 'warn' : 'error'](fields, text);
    }
  }

  async #agree(): Promise<void> {
    if (this.#missing.size > 0) return;
    try {
      await this.#options.agree();
      this.#isComplete = true;
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#options.logger.debug({ err: error }, 'the shared settings could not be agreed on yet');
    }
  }
}
