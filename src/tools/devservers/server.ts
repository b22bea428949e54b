import { UserError } from '../../contracts/user-error.ts';
export type ServerName = 'mysql' | 'redis' | 'kafka';

/** Where a server comes from: an address in the environment, a container, or a program of this machine. */
export type Origin = 'given' | 'container' | 'program';

export interface ServerFacts {
  readonly name: ServerName;
  /** `MySQL`, `MariaDB`, `Redis` or `Kafka`. */
  readonly product: string;
  /** Empty if the server does not report it. */
  readonly version: string;
  readonly origin: Origin;
  /** The image, the program, or the setting that gives the address; never a password. */
  readonly source: string;
  /** `mysql://…`, `redis://…`; for Kafka `host:port`. */
  readonly url: string;
}

/** Use only this kind of origin, instead of trying containers first and programs second. */
export type ForcedOrigin = 'containers' | 'programs';

export interface LaunchOrder {
  readonly name: ServerName;
  readonly from?: ForcedOrigin | undefined;
  /** Install a missing program with apt-get (Debian and Ubuntu, as root). Default: false. */
  readonly install?: boolean | undefined;
  /** A fixed port on 127.0.0.1; otherwise a free one is chosen. */
  readonly port?: number;
  /** Extra arguments for the server, after the default ones. */
  readonly args?: readonly string[];
  /** Redis only: the caller's own data directory, which is not removed at the end. */
  readonly dir?: string;
}

export interface LaunchedServer extends ServerFacts {
  readonly host: string;
  readonly port: number;
  readonly pid?: number;
  /** Where its data is: programs, and Redis with the caller's own directory. */
  readonly dir?: string;
  readonly container?: string;
}

/** A server is not available here. The message says why, and how to get it. */
export class PartUnavailable extends UserError {
  override readonly name = 'PartUnavailable';
}

export interface Instance {
  /** The current facts: a restarted program has another process id. */
  readonly server: LaunchedServer;
  /** Shuts the server down in order and keeps its data. */
  stop(): Promise<void>;
  /** Sends a signal; after SIGKILL it returns when the server is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port with the same data, stopping it first if it runs. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

export interface LaunchContext {
  /** The supervisor's folder, removed with everything in it when the supervisor ends. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Registers an instance before it starts, so that it is removed even if the launch never finishes. */
  readonly own: (instance: Pick<Instance, 'remove'>) => void;
}
