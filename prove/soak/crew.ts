import { setTimeout as pause } from 'node:timers/promises';
import { between, pick, type Random } from '../../src/tools/demo/random.ts';
import { freePort } from '../../src/tools/devservers/launch/free-port.ts';
import type { HttpClient } from '../../src/tools/harness/http.ts';
import type { Namespace } from '../../src/tools/harness/namespace.ts';
import { ProcessGroup } from '../../src/tools/harness/processes/process-group.ts';
import type { ProcessLogs } from '../../src/tools/harness/processes/process-logs.ts';
import { Worker, type WorkerKind } from './worker.ts';

/** At least two of each, so that one can continue. The unruly relay shuffles, delays and sends twice. */
const CREW: readonly WorkerKind[] = ['api', 'api', 'relay', 'unruly relay', 'consumer', 'consumer', 'consumer'];

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

export interface CrewOptions {
  readonly namespace: Namespace;
  readonly logs: ProcessLogs;
  readonly random: Random;
  /** A process ended unasked; it is restarted. */
  readonly onGaveUp: (name: string, reason: Error) => void;
}

/** What consumers have acknowledged. */
export interface ConsumersWork {
  /** Tasks. */
  readonly deliveries: number;
  /** Of large fan-outs. */
  readonly segments: number;
}

/** The processes of one transport, each restarted when it ends, as a site's supervisor does. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #processGroup: ProcessGroup;
  readonly #workers = new Set<Worker>();
  #started = 0;
  /** By processes that have ended. */
  #doneByEnded: ConsumersWork = { deliveries: 0, segments: 0 };
  #isEnding = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#processGroup = new ProcessGroup(options.namespace, options.logs);
  }

  /** @throws Error when they are not ready in time */
  async start(signal: AbortSignal): Promise<void> {
    await Promise.all(CREW.map((kind) => this.#add(kind)));
    await this.untilReady(signal);
  }

  /** Those that were started last included. @throws Error when they are not ready in time */
  async untilReady(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (performance.now() > deadline) throw new Error('the processes are not ready in time');
      await pause(LOOK_MS, undefined, { signal });
    }
  }

  /** Base URLs of the APIs. */
  get apis(): readonly HttpClient[] {
    return this.#those('api').map(({ http }) => http);
  }

  /** What consumers have done, from their own metrics. All of them must be running. */
  async countDone(): Promise<ConsumersWork> {
    const consumers = this.#those('consumer');
    for (const consumer of consumers) await consumer.look();
    return consumers.reduce<ConsumersWork>(
      (sum, { delivered, segments }) => ({ deliveries: sum.deliveries + delivered, segments: sum.segments + segments }),
      this.#doneByEnded,
    );
  }

  /** Tasks that unruly relays have yet to send a second time. */
  get held(): number {
    return this.#those('unruly relay').reduce((sum, { held }) => sum + held, 0);
  }

  /** Kills one with SIGKILL and starts another in its place. @returns its name */
  async kill(kind: WorkerKind): Promise<string> {
    const worker = pick(this.#options.random, this.#those(kind));
    this.#remove(worker);
    await this.#processGroup.kill(worker.process);
    await this.#add(kind);
    return worker.name;
  }

  /** Stops one with SIGSTOP, and continues it with SIGCONT after this many ms, or at once when aborted. @returns its name */
  async stopFor(kind: WorkerKind, ms: number, signal: AbortSignal): Promise<string> {
    const { process, name } = pick(this.#options.random, this.#those(kind));
    process.signal('SIGSTOP');
    await pause(ms, undefined, { signal }).catch(() => undefined);
    process.signal('SIGCONT');
    return name;
  }

  async stopAll(): Promise<void> {
    this.#isEnding = true;
    for (const worker of this.#workers) this.#remove(worker);
    await this.#processGroup.stopAll();
  }

  #those(kind: WorkerKind): Worker[] {
    return [...this.#workers].filter((worker) => worker.kind === kind);
  }

  async #add(kind: WorkerKind): Promise<void> {
    const port = await freePort();
    if (this.#isEnding) return;
    const name = `${this.#options.namespace.transport} ${kind} ${++this.#started}`;
    const seed = between(this.#options.random, 1, 1_000_000);
    const worker = new Worker({ processGroup: this.#processGroup, kind, name, port, seed });
    this.#workers.add(worker);
    worker.process.failed.catch((reason: Error) => this.#replace(worker, reason));
  }

  #replace(worker: Worker, reason: Error): void {
    if (!this.#workers.has(worker)) return;
    this.#remove(worker);
    this.#options.onGaveUp(worker.name, reason);
    void this.#add(worker.kind);
  }

  #remove(worker: Worker): void {
    worker.close();
    const { deliveries, segments } = this.#doneByEnded;
    this.#doneByEnded = { deliveries: deliveries + worker.delivered, segments: segments + worker.segments };
    this.#workers.delete(worker);
  }

  async #isReady(): Promise<boolean> {
    const ready = await Promise.all([...this.#workers].map((worker) => worker.isReady()));
    return ready.every(Boolean);
  }
}
