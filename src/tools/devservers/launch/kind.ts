import type { Probe } from '../probe.ts';
import type { LaunchContext, LaunchOrder } from '../server.ts';

/** What is needed to run one kind of server, in a container and as a program. */
export interface ServerKind {
  readonly product: string;
  /** Advice for a person who has neither Docker nor the program. */
  readonly howToGet: string;
  readonly image: ImageRecipe;
  /** Looks for the programs, and says what is missing. */
  findProgram(context: LaunchContext): Promise<ProgramRecipe | MissingProgram>;
}

/** How to run a server from its official image. */
export interface ImageRecipe {
  readonly name: string;
  /** The port inside the container, given the one outside. */
  port(outside: number): number;
  environment(host: string, port: number): Readonly<Record<string, string>>;
  command(order: LaunchOrder): readonly string[];
  url(host: string, port: number): string;
  probe(url: string): Promise<Probe>;
}

/** How to run a server from a program of this machine. */
export interface ProgramRecipe {
  readonly program: string;
  /** Fills an empty data directory. */
  prepare(site: ProgramSite, signal: AbortSignal): Promise<void>;
  args(site: ProgramSite): readonly string[];
  url(site: ProgramSite): string;
  probe(site: ProgramSite): Promise<Probe>;
  /** Whether the answer came from this server, not from another one that took its port. */
  owns(probe: Probe, site: ProgramSite, pid: number | undefined): boolean;
}

/** The folder and the port of one server. */
export interface ProgramSite {
  /** Its own folder, removed at the end. */
  readonly dir: string;
  readonly port: number;
  /** The caller's own data directory, which is kept. */
  readonly kept?: string;
}

/** A program that is missing, and the Debian packages that contain it. */
export interface MissingProgram {
  readonly what: string;
  readonly packages: readonly string[];
}

/** Milliseconds that a server gets to shut down in order. */
export const STOP_TIMEOUT = 20_000;
