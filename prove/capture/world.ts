/** What the search over capture is about: MySQL's log, which transactions of it can be seen, and what the index was told. */

/** Something that the site does; each changes a pair of its own. */
export type LoggedAction =
  /** In row events. */
  | 'rows'
  /** In a statement that says nothing of its rows. */
  | 'statement';

/** What may happen to capture and to the log. */
export type CaptureFault =
  /** Capture is killed, and started again at some time. */
  | 'kill'
  /** The log is reset while capture is killed: another one begins, with the same positions. */
  | 'reset'
  /** Its row is what it was at the start, as after a restore of that table. */
  | 'set back';

export interface CaptureScenario {
  readonly name: string;
  /** In this order; whatever else happens in between. */
  readonly actions: readonly LoggedAction[];
  readonly faults: readonly CaptureFault[];
  /** How often an idle capture writes its row. */
  readonly beats: number;
  /** How often a barrier may be raised behind the changes that can be seen. */
  readonly barriers: number;
}

/** A transaction in the log. */
export type Logged =
  | { readonly is: LoggedAction; readonly change: number }
  | { readonly is: 'own'; readonly row: OwnRow }
  | { readonly is: 'epoch' };

/** Capture's own row. */
export interface OwnRow {
  readonly position: string;
  readonly proof: string;
  readonly nonce: string;
  readonly published: number;
  readonly fences: number;
}

/** Captured before, up to the start of the log, whose first transaction is the write that proves it. */
export const CAPTURED: OwnRow = { position: '0', proof: 'first', nonce: 'first', published: 0, fences: 1 };

export const CAPTURE_SCENARIOS: readonly CaptureScenario[] = [
  { name: 'captured', actions: ['rows', 'rows'], faults: [], beats: 1, barriers: 0 },
  { name: 'captured, killed once', actions: ['rows', 'rows'], faults: ['kill'], beats: 1, barriers: 0 },
  { name: 'captured, a statement', actions: ['statement', 'rows'], faults: [], beats: 1, barriers: 0 },
  { name: 'captured, a log that is reset', actions: ['rows', 'rows'], faults: ['reset'], beats: 0, barriers: 0 },
  { name: 'captured, a row that is set back', actions: ['rows'], faults: ['set back'], beats: 0, barriers: 1 },
];
