import type { LaunchedServer, LaunchOrder } from '../server.ts';

/** What may be asked of the process that owns the servers. `server` is the number that `launch` returned. */
export interface GuardianMethods {
  launch(order: LaunchOrder): Promise<Owned>;
  stop(server: number): Promise<void>;
  kill(server: number, signal: NodeJS.Signals): Promise<void>;
  restart(server: number): Promise<LaunchedServer>;
  remove(server: number): Promise<void>;
  /** From now on the servers outlive the one who asked for them; SIGTERM ends them. */
  detach(): Promise<void>;
}

/** A server, and the number by which its owner knows it. */
export interface Owned {
  readonly server: number;
  readonly facts: LaunchedServer;
}

export interface Request {
  readonly id: number;
  readonly method: keyof GuardianMethods;
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly kind: 'ready'; readonly dir: string }
  | { readonly kind: 'log'; readonly id: number; readonly line: string }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly name: string; readonly message: string };
