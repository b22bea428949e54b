import process from 'node:process';
import type { RedisClient } from '../../../redis/connection.ts';
import { pause } from '../../../timing/loop.ts';
import type { Servers } from '../../harness/servers.ts';
import type { Services } from '../processes/services.ts';

export interface FaultDeskOptions {
  readonly services: Pick<Services, 'consumers' | 'killConsumer' | 'startConsumer'>;
  readonly servers: Servers;
  readonly redis: RedisClient;
  /** Called when Redis has lost everything. */
  readonly onFlushed: () => Promise<unknown>;
  /** Ends the demonstration with an error. */
  readonly fail: (reason: Error) => void;
  readonly signal: AbortSignal;
}

export interface FaultState {
  readonly consumers: readonly { readonly name: string; readonly pid: number | undefined }[];
  /** Killed ones in whose place another one is about to be started. */
  readonly killed: readonly string[];
  /** Redis belongs to the demonstration, so that it may lose everything. */
  readonly mayFlush: boolean;
  readonly flushes: number;
  /** `none`: there is no broker that the demonstration may stop. */
  readonly broker: 'none' | 'running' | 'stopped';
}

/** A killed consumer is missed for this long, ms. */
const MISSED_MS = 3_000;

/** The broker of a demonstration that carries its tasks over Kafka, a program that this one has started. */
function brokerOf({ stack, transport }: Servers): number | undefined {
  if (transport !== 'kafka') return undefined;
  const part = stack.parts.find(({ name, origin }) => name === 'kafka' && origin === 'program');
  return part !== undefined && 'pid' in part ? part.pid : undefined;
}

/** Breaks what the demonstration has started, and only that. */
export class FaultDesk {
  readonly #options: FaultDeskOptions;
  readonly #broker: number | undefined;
  readonly #mayFlush: boolean;
  readonly #killed = new Set<string>();
  #isBrokerStopped = false;
  #flushes = 0;

  constructor(options: FaultDeskOptions) {
    this.#options = options;
    this.#broker = brokerOf(options.servers);
    this.#mayFlush = options.servers.stack.parts.some(({ name, origin }) => name === 'redis' && origin !== 'given');
  }

  get state(): FaultState {
    return {
      consumers: this.#options.services.consumers.map(({ name, pid }) => ({ name, pid })),
      killed: [...this.#killed],
      mayFlush: this.#mayFlush,
      flushes: this.#flushes,
      broker: this.#broker === undefined ? 'none' : this.#isBrokerStopped ? 'stopped' : 'running',
    };
  }

  /** Kills a consumer; another one is started a few seconds later. False: there is none of this name. */
  async kill(name: string): Promise<boolean> {
    const { services, signal, fail } = this.#options;
    const victim = services.consumers.find((consumer) => consumer.name === name);
    if (victim === undefined) return false;
    this.#killed.add(name);
    await services.killConsumer(victim);
    const replace = async () => {
      await pause(MISSED_MS, signal);
      this.#killed.delete(name);
      if (!signal.aborted) await services.startConsumer();
    };
    replace().catch(fail);
    return true;
  }

  /** Redis loses everything that it holds. False: it is not ours. */
  async flush(): Promise<boolean> {
    if (!this.#mayFlush) return false;
    await this.#options.redis.flushall();
    this.#flushes++;
    await this.#options.onFlushed();
    return true;
  }

  /** The broker stands still: it keeps its connections and answers nothing. False: there is none that may be stopped. */
  stopBroker(): boolean {
    return this.#signalBroker('SIGSTOP');
  }

  continueBroker(): boolean {
    return this.#signalBroker('SIGCONT');
  }

  /** A broker that stands still could not be ended in order. */
  close(): void {
    if (this.#isBrokerStopped) this.continueBroker();
  }

  #signalBroker(signal: 'SIGSTOP' | 'SIGCONT'): boolean {
    if (this.#broker === undefined) return false;
    process.kill(this.#broker, signal);
    this.#isBrokerStopped = signal === 'SIGSTOP';
    return true;
  }
}
