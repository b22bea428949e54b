import type { LaunchedServer } from '../server.ts';

/** One running server, however it runs. */
export interface Instance {
  /** The facts as they are now: a restart gives a program another process id. */
  readonly server: LaunchedServer;
  /** Shuts the server down in order. Its data stays, for {@link restart}. */
  stop(): Promise<void>;
  /** Sends a signal; after SIGKILL it returns when the server is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port, with the same data; a running one is stopped first. */
  restart(): Promise<void>;
  /** Ends it at once and removes its data. */
  remove(): Promise<void>;
}

/** What every launch gets from the process that owns the servers. */
export interface LaunchContext {
  /** A folder that is removed with everything in it when the owner ends. */
  readonly dir: string;
  /** Aborts when the owner ends. */
  readonly signal: AbortSignal;
  /** One line for the person who waits. */
  readonly log: (line: string) => void;
  /** Keeps what is being launched, so that it is removed also when the launch is never finished. */
  readonly own: (instance: Pick<Instance, 'remove'>) => void;
}

/** Milliseconds that a server may take until it answers. A cold disk and two busy cores are slow. */
export const START_TIMEOUT = 60_000;
/** Milliseconds that a server gets to shut down in order. */
export const STOP_TIMEOUT = 20_000;
/** How often a launch asks for another port when somebody took the one that was free. */
export const PORT_ATTEMPTS = 5;
