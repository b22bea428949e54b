import { serverOn } from './epoch-token.ts';

/** What the rows of the primary have said about the epoch. */
export class EpochsSeen {
  readonly #listeners = new Set<() => void>();
  #latest: string | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #switches = 0;

  /** The token in the snapshot that was asked for last; undefined: there has been none. */
  get latest(): string | undefined {
    return this.#latest;
  }

  /** The proof (see session.ts) of the server on record; undefined: none that is known. */
  get server(): string | undefined {
    return this.#latest === undefined ? undefined : serverOn(this.#latest);
  }

  /** How often rows came from another server than the rows before. */
  get switches(): number {
    return this.#switches;
  }

  /** The token in the latest snapshot that was asked for at this time or later (`performance.now()`); undefined: there was none. */
  since(time: number): string | undefined {
    return this.#askedAt >= time ? this.#latest : undefined;
  }

  /** To be told of rows of the primary. @param token in their snapshot @param askedAt `performance.now()` before the statement */
  saw(token: string, askedAt: number): void {
    if (serverOn(token) !== this.server) this.#switches++;
    if (askedAt < this.#askedAt) return;
    this.#askedAt = askedAt;
    if (token === this.#latest) return;
    this.#latest = token;
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener whenever `latest` has changed. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
