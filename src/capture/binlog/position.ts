import type { LogEnd } from '../../mysql/capture.ts';

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
