import type { MastersOnRecord } from '../../src/index/on-record.ts';

/**
 * Two Redis masters, and two processes whose connections lead to either: one consumes, one reads. One pair, whose index is on each
 * master, and one partition of tasks.
 */
export type MasterName = 'A' | 'B';

export type ProcessName = 'consumer' | 'reader';

/** Longer than a master, or an owner of the indexes, counts as present after it was seen, ms. */
export const A_WHILE_MS = 31_000;

export interface Index {
  readonly pair: number;
  readonly epoch: string;
}

/** A process's connection to Redis. */
export interface Connected {
  readonly to: MasterName;
  /** Counts connections. */
  readonly connection: number;
  /** Null: no master has been compared since it was connected to. */
  readonly known: MastersOnRecord | null;
  /** A comparison that has asked the master, and not MySQL yet. */
  readonly comparing: (Pick<Connected, 'to' | 'connection'> & { readonly replicationId: string }) | null;
}

/** Tasks that the consumer does: their refresh writes to whichever master it is connected to by then. */
export interface TaskBatch {
  /** Of the masters when it began. */
  readonly known: MastersOnRecord;
  readonly upTo: number;
  readonly isWritten: boolean;
  /** The epoch that a statement has returned since it began. */
  readonly seen: string | null;
}

export interface MastersWorld {
  /** MySQL: the state of the pair, the token of the epoch, and the settings. */
  readonly pair: number;
  readonly token: string;
  readonly settings: Readonly<Record<string, string>>;
  /** ms */
  readonly clock: number;
  readonly indexes: Readonly<Record<MasterName, Index | null>>;
  /** What a replica of A has received. */
  readonly replica: Index | null;
  readonly processes: Readonly<Record<ProcessName, Connected>>;
  readonly batch: TaskBatch | null;
  readonly tasks: { readonly high: number; readonly committed: number };
  /** Epochs begun, so that each has a token of its own. */
  readonly epochs: number;
  /** What may still happen, how often. */
  readonly left: Readonly<Record<'changes' | 'moves' | 'waits' | 'bumps' | 'promotions', number>>;
}

/** One search: every interleaving of everything that may happen here. */
export interface MastersScenario {
  readonly name: string;
  /** Changes of the pair. */
  readonly changes: number;
  /** How often a connection may lead to the other master. */
  readonly moves: number;
  /** How often so much time may pass that a master no longer counts as present. */
  readonly waits: number;
  /** How often an epoch may begin for another reason. */
  readonly bumps: number;
  /** How often A may become a replica, and be promoted again, while its clients stay connected. */
  readonly promotions: number;
}

export const MASTERS_SCENARIOS: readonly MastersScenario[] = [
  { name: 'two masters', changes: 1, moves: 2, waits: 1, bumps: 0, promotions: 0 },
  { name: 'two masters, another epoch', changes: 1, moves: 2, waits: 0, bumps: 1, promotions: 0 },
  { name: 'two masters, there and back', changes: 1, moves: 3, waits: 1, bumps: 0, promotions: 0 },
  { name: 'a master that is promoted again', changes: 1, moves: 0, waits: 1, bumps: 0, promotions: 2 },
  { name: 'two masters, one promoted again', changes: 1, moves: 1, waits: 0, bumps: 0, promotions: 1 },
];
