import type { LogEnd } from '../../mysql/capture.ts';
import type { Gtids } from './gtids.ts';
import { EVENT, type LogEvent, parseRotate } from './log-event.ts';

/** The greatest offset that a replica can ask for. */
const MOST_OFFSET = 2 ** 32 - 1;

const GROUP_STARTS: ReadonlySet<number> = new Set([
  EVENT.gtid,
  EVENT.taggedGtid,
  EVENT.anonymousGtid,
  EVENT.mariadbGtid,
]);

/** Where the log is read now. A position is the start of a transaction: everything before it has been read whole. */
export class LogPlace {
  readonly #gtids: Gtids | undefined;
  /** Of the transaction that is being read: it counts as read when the next one begins. */
  #unread: LogEvent | undefined;
  #file: string;
  #offset: number;
  #start: string | undefined;

  /** @param gtids those before `from`, where there are any */
  constructor(from: LogEnd, gtids: Gtids | undefined) {
    this.#gtids = gtids;
    [this.#file, this.#offset] = 'gtids' in from ? ['', 4] : [from.file, from.offset];
  }

  /** The position of the transaction that is being read; undefined: none can be saved here. */
  get start(): string | undefined {
    return this.#start;
  }

  /** Call with each event, before it is read. */
  pass(event: LogEvent): void {
    if (GROUP_STARTS.has(event.type)) this.#begin(event);
    if (event.type === EVENT.rotate) {
      const { file, offset } = parseRotate(event.body);
      [this.#file, this.#offset] = [file, Number(offset)];
    } else if (event.isInFile) this.#offset += event.length;
  }

  #begin(event: LogEvent): void {
    if (this.#gtids === undefined) {
      const canAsk = this.#offset <= MOST_OFFSET;
      this.#start = canAsk ? positionText({ file: this.#file, offset: this.#offset }) : undefined;
      return;
    }
    if (this.#unread !== undefined) this.#gtids.add(this.#unread);
    this.#unread = event.type === EVENT.anonymousGtid ? undefined : { ...event, body: Buffer.from(event.body) };
    this.#start = positionText({ gtids: this.#gtids.toString() });
  }
}

/** A place in the binary log, as `recency_capture` has it: `gtid:0-1-42`, or `file:binlog.000007:1234`. */
export function positionText(end: LogEnd): string {
  return 'gtids' in end ? `gtid:${end.gtids}` : `file:${end.file}:${end.offset}`;
}

/** @returns undefined: this is no position */
export function parsePosition(text: string): LogEnd | undefined {
  if (text.startsWith('gtid:')) return { gtids: text.slice('gtid:'.length) };
  const [, file, offset] = /^file:(.+):(\d+)$/.exec(text) ?? [];
  return file === undefined ? undefined : { file, offset: Number(offset) };
}
