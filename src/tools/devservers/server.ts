import { UserError } from '../../contracts/user-error.ts';

/** The servers that Recency works with. */
export type ServerName = 'mysql' | 'redis' | 'kafka';

/** Where a server comes from: an address in the environment, a container, or a program of this machine. */
export type Origin = 'given' | 'container' | 'program';

/** What is known of one server of a stack. */
export interface Part {
  readonly name: ServerName;
  /** `MySQL`, `MariaDB`, `Redis` or `Kafka`. */
  readonly product: string;
  /** Empty where the server does not tell. */
  readonly version: string;
  readonly origin: Origin;
  /** The image, the program, or the setting that names the address; never a password. */
  readonly source: string;
  /** `mysql://…`, `redis://…`; for Kafka `host:port`. */
  readonly url: string;
}

/** One kind of origin only, instead of trying one after the other. */
export type StackFrom = 'containers' | 'programs';

/** What to start. */
export interface LaunchOrder {
  readonly name: ServerName;
  readonly from?: StackFrom;
  /** A fixed port of 127.0.0.1; otherwise a free one is found. */
  readonly port?: number;
  /** More arguments for the server, after the stack's own. */
  readonly args?: readonly string[];
  /** Redis only: a data directory of the caller's, which is not removed at the end. */
  readonly dir?: string;
}

/** A server that answered. */
export interface LaunchedServer extends Part {
  readonly host: string;
  readonly port: number;
  /** Programs only. */
  readonly pid?: number;
  /** Programs, and Redis with a directory of the caller's: where its data lies. */
  readonly dir?: string;
  /** Containers only. */
  readonly container?: string;
}

/** A server that cannot be had here. The message says why, and how to get it. */
export class PartUnavailable extends UserError {
  override readonly name = 'PartUnavailable';
}
