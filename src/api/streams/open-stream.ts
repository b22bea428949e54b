import type { Writable } from 'node:stream';

/** Server-Sent Events as text. JSON holds no line break, so a head is one `data` line. */

/** A comment: it keeps proxies from closing a silent connection, and finds out whether the other side is still there. */
export const HEARTBEAT = ':\n\n';

/** An answer as text, and its entity tag, by which it is compared. */
export interface FoundHead {
  readonly tag: string;
  readonly text: string;
}

export function headEvent({ tag, text }: FoundHead): string {
  return `event: head\nid: ${tag}\ndata: ${text}\n\n`;
}

/** Tells the client how long to wait before it connects again. @param ms a whole number */
function retryEvent(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/**
 * The most that waits in this process for one client to read it, bytes, before the next event; the kernel's own buffers are
 * full by then. A client that lags further is disconnected: it connects again, and gets the current head.
 */
const MOST_WAITING = 65_536;

/** One client that listens. It is told heads, and remembers only the tag of the last one. */
export class OpenStream {
  readonly #sink: Writable;
  readonly #onSlow: () => void;
  /** Is its client still allowed to listen? */
  readonly isAllowed: () => boolean;
  #tag: string | undefined;
  #number = 0;
  #isBeatSent = true;

  /** @param sink the response, or its connection @param tag of the head that the client has; undefined: none @param onSlow it was disconnected because it does not read */
  constructor(sink: Writable, tag: string | undefined, onSlow: () => void, isAllowed: () => boolean = () => true) {
    this.#sink = sink;
    this.#tag = tag;
    this.#onSlow = onSlow;
    this.isAllowed = isAllowed;
  }

  /**
   * Sends a head unless the client has it, or has one that was looked for later.
   * @param event the head as an event @returns whether it was sent
   */
  tell(tag: string, event: string, number: number): boolean {
    if (number < this.#number) return false;
    this.#number = number;
    if (tag === this.#tag) return false;
    this.#tag = tag;
    return this.#write(event);
  }

  /** Sends how long to wait before connecting again. @param ms a whole number */
  adviseRetry(ms: number): void {
    this.#write(retryEvent(ms));
  }

  /** A client that has not even taken the last heartbeat, or the end of its stream, is disconnected. */
  beat(): void {
    if (!this.#isBeatSent || this.#sink.writableEnded) {
      this.#cut();
      return;
    }
    this.#isBeatSent = false;
    this.#write(HEARTBEAT, (error) => {
      this.#isBeatSent = !error;
    });
  }

  /** @param retryMs how long the client is to wait before it connects again, a whole number */
  end(retryMs: number): void {
    this.adviseRetry(retryMs);
    this.#sink.end();
  }

  #write(text: string, onSent?: (error: Error | null | undefined) => void): boolean {
    if (this.#sink.destroyed || this.#sink.writableEnded) return false;
    if (this.#sink.writableLength > MOST_WAITING) {
      this.#cut();
      return false;
    }
    this.#sink.write(text, onSent);
    return true;
  }

  #cut(): void {
    if (this.#sink.destroyed) return;
    this.#onSlow();
    this.#sink.destroy();
  }
}
