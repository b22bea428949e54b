import { SourceStalled } from '../timing/stall-detector.ts';

/** Whether reading gets further than it ever was, over any number of sessions: what is read again is no sign of life. */
export class Progress {
  #from = '';
  #furthest = 0;
  #at = 0;

  /** When it last got further, by the monotonic clock, ms; 0: never. */
  get at(): number {
    return this.#at;
  }

  /** A session begins. @param from where: one that begins at the same place reads the same again */
  begin(from: string): void {
    if (from !== this.#from) this.#furthest = 0;
    this.#from = from;
  }

  /** @param received of this session */
  isNew(received: number, now: number): boolean {
    if (received <= this.#furthest) return false;
    this.#furthest = received;
    this.#at = now;
    return true;
  }
}

/** How long a source from which something must come has been silent. What is done with what came does not count. */
export class Silence {
  readonly #mostMs: number;
  #received = -1;
  #since: number;
  #checked: number;

  constructor(now: number, mostMs: number) {
    this.#mostMs = mostMs;
    this.#since = now;
    this.#checked = now;
  }

  /** @throws SourceStalled */
  check(received: number, now: number): void {
    if (received !== this.#received) this.#since = now;
    this.#received = received;
    this.#checked = now;
    const silentMs = now - this.#since;
    if (silentMs <= this.#mostMs) return;
    const seconds = Math.round(silentMs / 1000);
    throw new SourceStalled(
      `the source of changes has been silent for ${seconds} s, although Recency itself writes to it`,
    );
  }

  /** Reading goes on. */
  goOn(now: number): void {
    this.#since += now - this.#checked;
    this.#checked = now;
  }
}
