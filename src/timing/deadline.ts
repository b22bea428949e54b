/** A request took longer than it may. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';

  /** @param cause what it waited for */
  constructor(cause?: Error) {
    super('the time for this request is over', { cause });
  }
}

/** Nobody waits for the answer any more: the client has disconnected. */
export class RequestCancelled extends Error {
  override readonly name = 'RequestCancelled';
  constructor() {
    super('the client has disconnected');
  }
}

/**
 * The time by which one request must be answered. Everything the request waits for shares it: Redis, a turn, a connection,
 * a statement. It is cancelled when the client disconnects, which ends what the request has started.
 */
export class Deadline {
  readonly #end: number;
  readonly #listeners = new Set<(reason: Error) => void>();
  #reason: Error | undefined;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#end = performance.now() + ms;
  }

  /** Time left, ms; 0 once it is over. */
  get leftMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  /** @param reason what those who wait for it are told: RequestCancelled */
  cancel(reason: Error = new RequestCancelled()): void {
    this.#reason ??= reason;
    for (const listener of this.#listeners) listener(reason);
    this.#listeners.clear();
  }

  /** @throws DeadlineExceeded, what it was cancelled with */
  check(): void {
    if (this.#reason) throw this.#reason;
    if (this.leftMs === 0) throw new DeadlineExceeded();
  }

  /** A deadline that is over after `ms`, if this one is not over before, and is cancelled with this one. */
  within(ms: number): Deadline {
    const part = new Deadline(Math.min(ms, this.leftMs));
    this.onCancel((reason) => part.cancel(reason));
    return part;
  }

  /** Calls the listener once, when the deadline is cancelled; at once if it already is. */
  onCancel(listener: (reason: Error) => void): void {
    if (this.#reason) listener(this.#reason);
    else this.#listeners.add(listener);
  }

  /** Removes a listener of `onCancel`. */
  offCancel(listener: (reason: Error) => void): void {
    this.#listeners.delete(listener);
  }
}

/**
 * Waits for a promise until the deadline. Without a deadline, waits for as long as it takes. The work itself goes on.
 * @throws DeadlineExceeded, RequestCancelled, what the promise rejects with
 */
export function withinDeadline<T>(deadline: Deadline | undefined, pending: Promise<T>): Promise<T> {
  return deadline ? withTimeout(pending, Number.POSITIVE_INFINITY, () => new DeadlineExceeded(), deadline) : pending;
}

/**
 * Waits for a promise for at most `ms`, and no longer than until one of the deadlines is over or cancelled. The work itself goes
 * on, and an error that it ends with later is ignored.
 * @throws what `late` returns after `ms`, DeadlineExceeded, what a deadline is cancelled with, what the promise rejects with
 */
export function withTimeout<T>(
  pending: Promise<T>,
  ms: number,
  late: () => Error,
  ...deadlines: readonly (Deadline | undefined)[]
): Promise<T> {
  const leftMs = Math.min(...deadlines.map((deadline) => deadline?.leftMs ?? Number.POSITIVE_INFINITY));
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const deadline of deadlines) deadline?.offCancel(fail);
    };
    const fail = (reason: unknown) => {
      end();
      reject(reason);
    };
    const timer = setTimeout(() => fail(leftMs <= ms ? new DeadlineExceeded() : late()), Math.min(ms, leftMs));
    for (const deadline of deadlines) deadline?.onCancel(fail);
    if (deadlines.some((deadline) => deadline?.isCancelled)) end(); // the others, too, need not remember it
    pending.then((value) => {
      end();
      resolve(value);
    }, fail);
  });
}

/**
 * Waits for a promise to settle, for at most `ms`, unless the deadline is cancelled before. Returns whether it settled; its value
 * and its error are ignored.
 */
export function settledWithin(pending: Promise<unknown>, ms: number, deadline?: Deadline): Promise<boolean> {
  const settled = pending.then(
    () => true,
    () => true,
  );
  return withTimeout(settled, ms, () => new Error('not settled'), deadline).catch(() => false);
}
