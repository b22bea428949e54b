/**
 * Two MySQL servers, of which the address leads to one; the other is its replica, its partner, or where a backup was restored. One
 * pair, whose index is in Redis, and one partition with its consumer group.
 */
export type ServerName = 'A' | 'B';

/** Rows by their keys; null: deleted. */
export type Rows = Readonly<Record<string, string | number | Mark | null>>;

/** Of a row of the outbox: which server's relay has published it, and when; empty: none has. */
export type Mark = readonly [by?: string, at?: number];

export interface Server {
  readonly rows: Rows;
  readonly isUp: boolean;
}

/** Transactions on their way from one server to the other, oldest first. */
export interface Channel {
  readonly transactions: readonly Rows[];
  /** How many of them the other server has received, and not applied. */
  readonly received: number;
}

export interface ServersWorld {
  readonly servers: Readonly<Record<ServerName, Server>>;
  /** By the server that they lead to. */
  readonly channels: Readonly<Partial<Record<ServerName, Channel>>>;
  /** Where the address leads to. */
  readonly current: ServerName;
  /** ms; an hour passes between two switches, so nobody takes turns. */
  readonly clock: number;
  /** Redis: the state of the pair that the index holds, and its epoch. */
  readonly index: { readonly pair: number; readonly epoch: string } | null;
  /** The partition: its end, the offset that the group has committed, and whether that carries the mark of a consumer. */
  readonly tasks: { readonly high: number; readonly committed: number; readonly isMarked: boolean };
  /** Epochs begun, so that each has a token of its own. */
  readonly epochs: number;
  /** What may still happen, how often. */
  readonly left: {
    readonly changes: number;
    readonly switches: number;
    readonly returns: number;
    readonly moves: number;
    readonly bumps: number;
  };
}

/** One search: every interleaving of everything that may happen here. */
export interface ServersScenario {
  readonly name: string;
  /**
   * - `replica`: B replicates from A
   * - `pair`: each replicates from the other
   * - `backup`: B is a copy of A from before anything was on record
   */
  readonly servers: 'replica' | 'pair' | 'backup';
  /** Changes of the pair, at the server that the address leads to. */
  readonly changes: number;
  /** How often the address may be led to the other server, because the one that it leads to has died. */
  readonly switches: number;
  /** How often the dead one may come back. */
  readonly returns: number;
  /** How often an operator may move the group to the end of the partition. */
  readonly moves: number;
  /** How often an epoch may begin for another reason, on the server that the address leads to. */
  readonly bumps: number;
}

const NOTHING = { switches: 0, returns: 0, moves: 0, bumps: 0 } as const;

export const SERVERS_SCENARIOS: readonly ServersScenario[] = [
  { ...NOTHING, name: 'a moved position', servers: 'backup', changes: 2, moves: 1 },
  { ...NOTHING, name: 'a backup from before the first start', servers: 'backup', changes: 2, switches: 1 },
  { ...NOTHING, name: 'a replica that is opened', servers: 'replica', changes: 2, switches: 1 },
  { ...NOTHING, name: 'a pair, half of which comes back', servers: 'pair', changes: 2, switches: 1, returns: 1 },
  {
    ...{ ...NOTHING, name: 'a pair, and an epoch of the half that comes back', servers: 'pair', bumps: 1 },
    ...{ changes: 1, switches: 1, returns: 1 },
  },
  { ...NOTHING, name: 'a pair, there and back', servers: 'pair', changes: 1, switches: 2, returns: 2 },
];
