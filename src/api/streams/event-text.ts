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
export function retryEvent(ms: number): string {
  return `retry: ${ms}\n\n`;
}
