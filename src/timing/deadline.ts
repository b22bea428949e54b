/** The time that a request may take is over. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
  constructor() {
    super('the time for this request is over');
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
 * When the time for one request is over. All of its waits share it: for Redis, for a turn, for a connection, for a
 * statement. It is cancelled when nobody waits for the answer any more, and what the request had begun is then ended.
 */
export class Deadline {
  readonly #end: number;
  readonly #listeners = new Set<() => void>();
  #isCancelled = false;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#end = performance.now() + ms;
  }

  /** ms, 0 when the time is over. */
  get leftMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** @throws DeadlineExceeded, RequestCancelled */
  check(): void {
    if (this.#isCancelled) throw new RequestCancelled();
    if (this.leftMs === 0) throw new DeadlineExceeded();
  }

  /** Called once, when the deadline is cancelled. Returns what ends that. */
  onCancel(listener: () => void): () => void {
    if (this.#isCancelled) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Waits for something that ends by itself. @throws DeadlineExceeded, RequestCancelled, what it rejects with */
  wait<T>(something: Promise<T>): Promise<T> {
    return endingIn(something, this.leftMs, this, () => new DeadlineExceeded());
  }
}

/**
 * Waits for something for so many ms, and not once the deadline is cancelled. It goes on, and what it then rejects with is
 * nobody's.
 * @throws what `late` makes, RequestCancelled, what `something` rejects with
 */
export function endingIn<T>(
  something: Promise<T>,
  ms: number,
  deadline: Deadline | undefined,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let unlisten: (() => void) | undefined;
    const end = () => {
      clearTimeout(timer);
      unlisten?.();
    };
    const fail = (reason: unknown) => {
      end();
      reject(reason);
    };
    const timer = setTimeout(() => fail(late()), ms);
    something.then((value) => {
      end();
      resolve(value);
    }, fail);
    unlisten = deadline?.onCancel(() => fail(new RequestCancelled())); // called at once when it is cancelled already
  });
}
