import type { Writable } from 'node:stream';
import type { Id } from '../../contracts/id.ts';
import type { Deadline } from '../../timing/deadline.ts';
import { unavailableProblem } from '../http-problem.ts';
import type { Reply } from '../reply.ts';
import { type HeadLooksOptions, HeadPoller } from './head-poller.ts';
import { type HeadQuestion, LiveHead } from './live-head.ts';
import { type FoundHead, headEvent, OpenStream } from './open-stream.ts';

export interface StreamsOptions extends Omit<HeadLooksOptions, 'count'> {
  /** The most streams that are open at once; beyond it a request is answered with 503. */
  readonly most: number;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  /** Called when a user begins to be streamed, so that hints about them are listened for. */
  readonly onUser?: (user: Id) => void;
  /** Between two heartbeats of a stream, ms (15,000). */
  readonly heartbeatMs?: number;
}

/** A request for a stream. */
interface StreamRequest {
  /** The tag of the head that the client has; undefined: none. */
  readonly has: string | undefined;
  readonly deadline: Deadline;
  /** Is the client allowed to listen? Asked again when tokens are replaced. */
  readonly isAllowed: () => boolean;
}

/** What a stream begins with. */
interface FirstHead extends Pick<StreamRequest, 'has' | 'isAllowed'> {
  readonly found: FoundHead;
  readonly number: number;
  /** The indexes' state before it was found. */
  readonly state: string | undefined;
}

export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'private, no-cache, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'X-Accel-Buffering': 'no', // nginx would keep events back until it has a page of them
} as const;

/** Heartbeats are spread over so many parts of their interval. */
const PARTS = 15;
const HEARTBEAT_MS = 15_000;

/** The shortest time before a client connects again, ms; the least time over which many do; and what each of them adds. */
const RETRY = { firstMs: 1_000, leastSpreadMs: 4_000, eachMs: 2 };

/** How soon one that found no room may ask again, s. */
const FULL_RETRY_SECONDS = 5;

/**
 * The open streams of this process. Each shows a head: an answer of which every change is sent. A hint says that a user's
 * index was refreshed; hints may be lost, so every head is also looked at every second (head-poller.ts).
 */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #heads = new Map<string, LiveHead>();
  readonly #ofUser = new Map<Id, Set<LiveHead>>();
  readonly #parts: readonly Set<OpenStream>[] = Array.from({ length: PARTS }, () => new Set<OpenStream>());
  readonly #looks: HeadPoller;
  #opened = 0;
  #held = 0;
  #isEnding = false;
  /** Since the start. `slow`: streams whose client did not read. */
  readonly counts = { told: 0, same: 0, failed: 0, slow: 0 };

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#looks = new HeadPoller({ ...options, count: this.#count });
  }

  /** Streams that are open. */
  get open(): number {
    return this.#parts.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Finds the head, and replies with a stream that begins with it.
   * @throws HttpProblem when there are too many; what an answer throws
   */
  async reply(question: HeadQuestion, { has, deadline, isAllowed }: StreamRequest): Promise<Reply> {
    if (this.#held >= this.#options.most) throw unavailableProblem('streams_full', undefined, FULL_RETRY_SECONDS);
    const head = this.#hold(question);
    try {
      const state = await this.#looks.stateOf(question);
      const first = { ...(await head.find(deadline)), has, isAllowed, state };
      const begin = (sink: Writable) => this.#begin(head, sink, first);
      return { status: 200, headers: STREAM_HEADERS, content: '', stream: begin };
    } catch (error) {
      this.#release(head);
      throw error;
    }
  }

  /** Everybody who is streamed. */
  users(): readonly Id[] {
    return [...this.#ofUser.keys()];
  }

  /** Looks at these users' heads soon. */
  hint(users: readonly Id[]): void {
    this.#looks.soon(users.flatMap((user) => [...(this.#ofUser.get(user) ?? [])]));
  }

  /** Looks at all heads now and then, and sends heartbeats, until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { heartbeatMs = HEARTBEAT_MS } = this.#options;
    let part = 0;
    const beats = setInterval(() => {
      for (const stream of this.#parts[part++ % PARTS] ?? []) stream.beat();
    }, heartbeatMs / PARTS);
    try {
      await this.#looks.run(() => [...this.#heads.values()], signal);
    } finally {
      clearInterval(beats);
    }
  }

  /** Ends the streams of clients that are no longer allowed to listen. @returns how many */
  endRefused(): number {
    const refused = this.#parts.flatMap((part) => [...part]).filter((stream) => !stream.isAllowed());
    for (const stream of refused) stream.end(this.#retryMs());
    return refused.length;
  }

  /** Ends every stream, and those that begin later at once. Each client is told another time to connect again. */
  end(): void {
    this.#isEnding = true;
    for (const stream of this.#parts.flatMap((part) => [...part])) stream.end(this.#retryMs());
  }

  #begin(head: LiveHead, sink: Writable, { found, number, has, state, isAllowed }: FirstHead): void {
    if (sink.destroyed) {
      this.#release(head);
      return;
    }
    const stream = new OpenStream(sink, has, () => this.#count('slow'), isAllowed);
    const part = this.#parts[this.#opened++ % PARTS];
    part?.add(stream);
    // Where the others' head was found in another state of the indexes, one of the two may be older.
    if (head.streams.size === 0 && head.state === undefined) this.#looks.foundIn(head, state);
    else if (head.state !== state) this.#looks.again(head);
    head.streams.add(stream);
    sink.once('close', () => {
      part?.delete(stream);
      head.streams.delete(stream);
      this.#release(head);
    });
    stream.adviseRetry(this.#retryMs());
    stream.tell(found.tag, headEvent(found), number);
    if (this.#isEnding || !isAllowed()) stream.end(this.#retryMs());
  }

  readonly #count = (what: keyof Streams['counts']) => {
    this.counts[what] += 1;
  };

  /** Later for some than for others, so that a new process is not asked by all of them in the same second. */
  #retryMs(): number {
    const spreadMs = Math.max(RETRY.leastSpreadMs, this.#held * RETRY.eachMs);
    return Math.round(RETRY.firstMs + this.#options.random() * spreadMs);
  }

  #hold(question: HeadQuestion): LiveHead {
    const { user, name } = question;
    const key = `${user} ${name}`;
    const head = this.#heads.get(key) ?? new LiveHead(question);
    this.#heads.set(key, head);
    const heads = this.#ofUser.get(user) ?? new Set();
    this.#ofUser.set(user, heads.add(head));
    head.holders += 1;
    this.#held += 1;
    this.#options.onUser?.(user);
    return head;
  }

  #release(head: LiveHead): void {
    const { user, name } = head.question;
    this.#held -= 1;
    head.holders -= 1;
    if (head.holders > 0) return;
    this.#heads.delete(`${user} ${name}`);
    const heads = this.#ofUser.get(user);
    heads?.delete(head);
    if (heads?.size === 0) this.#ofUser.delete(user);
  }
}
