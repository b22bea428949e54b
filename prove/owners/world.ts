import type { MastersOnRecord } from '../../src/index/on-record.ts';
import type { ClaimedOwnership } from '../../src/mysql/redis-masters.ts';
import type { Index } from '../masters/world.ts';
import type { ServerName } from '../servers/world.ts';

/**
 * A MySQL server and a copy of it, and a Redis whose two databases may be exchanged, or which may be set back. The site writes to the
 * original, whose API reads; the consumer's address of MySQL leads to either. One pair, and one partition of tasks.
 */
export type ProcessName = 'consumer' | 'reader';

/** What a server holds. */
export interface Server {
  readonly pair: number;
  readonly token: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** What a database of Redis holds. */
export interface Keys {
  readonly index: Index | null;
  /** The text that says whose the indexes are. */
  readonly owner: string | null;
  /** What each process has left there when it last looked. */
  readonly marks: Readonly<Record<ProcessName, number>>;
}

export interface Process {
  /** Where its address of MySQL leads. */
  readonly server: ServerName;
  readonly known: MastersOnRecord | null;
  /** What it has claimed in a comparison that has not asked MySQL yet. */
  readonly claimed: ClaimedOwnership | null;
  /** Whose rows it saw last, and how often another server's came than before. */
  readonly seen: ServerName;
  readonly switches: number;
  /** What it left when it last looked, and whose the indexes were. */
  readonly mark: number;
  readonly looked: string | null;
  /** Its mark was gone, and the indexes have yet to get another id. */
  readonly owes: boolean;
}

/** Work that counts only if Redis was on record, and what was known as it began. */
export interface Begun {
  readonly known: MastersOnRecord;
  readonly owner: string | null;
  readonly switches: number;
  /** The epoch that a statement of the work has returned; null: none has. */
  readonly epoch: string | null;
}

/** Tasks that the consumer does. */
export interface TaskBatch extends Begun {
  readonly upTo: number;
  /** The databases were exchanged since it began. */
  readonly isExchanged: boolean;
  readonly isWritten: boolean;
}

export interface OwnersWorld {
  readonly servers: Readonly<Record<ServerName, Server>>;
  readonly shown: Keys;
  readonly hidden: Keys;
  readonly processes: Readonly<Record<ProcessName, Process>>;
  readonly batch: TaskBatch | null;
  readonly tasks: { readonly high: number; readonly committed: number };
  /** How many changes the barrier that the API has raised is about. */
  readonly raised: number | null;
  /** How many changes the API knows to be applied. */
  readonly applied: number;
  /** What Redis may be set back to. */
  readonly saved: Keys | null;
  /** How many epochs had begun when it was; null: it was not. */
  readonly setBackAt: number | null;
  /** ms */
  readonly clock: number;
  /** Epochs and ids begun, so that each has a name of its own. */
  readonly epochs: number;
  readonly ids: number;
  /** What may still happen, how often. */
  readonly left: Readonly<Record<'changes' | 'moves' | 'swaps' | 'saves' | 'waits', number>>;
}

/** One search: every interleaving of everything that may happen here. */
export interface OwnersScenario {
  readonly name: string;
  readonly changes: number;
  /** Of the copy: does its epoch name it already, or still the original? */
  readonly names: 'itself' | 'the original';
  /** How often the consumer's address of MySQL may lead to the other server. */
  readonly moves: number;
  /** How often the databases of Redis may be exchanged. */
  readonly swaps: number;
  /** How often Redis may be set back. */
  readonly saves: number;
  /** How often so much time may pass that an owner no longer counts as present. */
  readonly waits: number;
}

export const OWNERS_SCENARIOS: readonly OwnersScenario[] = [
  { name: 'a copy of MySQL', names: 'the original', changes: 1, moves: 3, swaps: 0, saves: 0, waits: 1 },
  { name: 'a copy of MySQL, in use', names: 'itself', changes: 1, moves: 2, swaps: 0, saves: 0, waits: 0 },
  { name: 'keys that come back', names: 'the original', changes: 1, moves: 0, swaps: 2, saves: 0, waits: 0 },
  { name: 'keys that are set back', names: 'the original', changes: 2, moves: 0, swaps: 0, saves: 1, waits: 0 },
];
