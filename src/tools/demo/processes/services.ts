import type { Id } from '../../../contracts/id.ts';
import { freePort } from '../../devservers/launch/free-port.ts';
import { residentBytes } from '../../harness/http.ts';
import { until } from '../../harness/poll.ts';
import { CapturingProcess } from '../../harness/processes/capturing.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { modulePath, type ProcessGroup, RECENCY, type ServiceProcess } from '../../harness/processes/process-group.ts';

/** What carries the tasks reports about itself: the demonstration's relay, repeatedly, or capture, when it is asked. */
export interface UnrulyRelayCounts {
  /** Tasks read from the outbox, or derived from captured changes. */
  readonly tasks: number;
  /** Messages published; some tasks count twice. */
  readonly sent: number;
  /** Tasks that will be sent again. */
  readonly held: number;
}

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

/** The module of the demonstration's relay. */
export const UNRULY_RELAY = modulePath(import.meta.url, './unruly-relay');

/** The API, the consumers, and the relay or capture, each a process of its own. */
export class Services {
  readonly apiUrl: string;
  readonly #processGroup: ProcessGroup;
  readonly #consumers = new Map<ServiceProcess, { metricsPort: number }>();
  #capturing: CapturingProcess | undefined;
  #consumersStarted = 0;
  #relayCounts: UnrulyRelayCounts = { tasks: 0, sent: 0, held: 0 };

  private constructor(processGroup: ProcessGroup, apiUrl: string) {
    this.#processGroup = processGroup;
    this.apiUrl = apiUrl;
  }

  /**
   * @param processGroup the caller stops it
   * @param options.spared photo tasks of this user are sent only once
   * @param options.mapping the file to capture by; undefined: the site has an outbox
   * @throws Error when a process does not start
   */
  static async start(
    processGroup: ProcessGroup,
    { seed, spared, mapping }: { seed: number; spared: Id; mapping: string | undefined },
  ): Promise<Services> {
    const api = await launchApi(processGroup);
    const services = new Services(processGroup, api.url);
    if (mapping === undefined) services.#startRelay([String(seed), spared]);
    else services.#capturing = await CapturingProcess.start(processGroup, mapping);
    await Promise.all([services.startConsumer(), services.startConsumer(), api.untilReady()]);
    return services;
  }

  #startRelay(args: readonly string[]): void {
    const relay = this.#processGroup.start({ name: 'relay', module: UNRULY_RELAY, args });
    relay.onMessage((counts) => {
      this.#relayCounts = counts as UnrulyRelayCounts;
    });
  }

  /** Asks capture for its counts; the relay has reported them. */
  async updateCounts(): Promise<void> {
    const tasks = await this.#capturing?.tasks();
    if (tasks !== undefined) this.#relayCounts = { tasks, sent: tasks, held: 0 };
  }

  get consumers(): readonly ServiceProcess[] {
    return [...this.#consumers.keys()];
  }

  get relayCounts(): UnrulyRelayCounts {
    return this.#relayCounts;
  }

  async startConsumer(): Promise<ServiceProcess> {
    const metricsPort = await freePort();
    const name = `consumer ${++this.#consumersStarted}`;
    const settings = { METRICS_PORT: String(metricsPort) };
    const consumer = this.#processGroup.start({ name, module: RECENCY, args: ['consume'], settings });
    this.#consumers.set(consumer, { metricsPort });
    return consumer;
  }

  async killConsumer(consumer: ServiceProcess): Promise<void> {
    this.#consumers.delete(consumer);
    await this.#processGroup.kill(consumer);
  }

  /** The resident memory of all consumers, bytes. */
  async consumersMemory(): Promise<number> {
    const sizes = await Promise.all([...this.#consumers.values()].map(({ metricsPort }) => this.#memory(metricsPort)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Retries, because a new consumer does not answer at once. */
  async #memory(metricsPort: number): Promise<number> {
    const look = () =>
      Promise.race([this.#processGroup.failed, residentBytes(metricsPort).catch((error: Error) => error)]);
    const isNumber = (seen: number | Error) => typeof seen === 'number';
    const notReady = (seen: number | Error) => `A consumer (${seen}) did not say how much memory it takes`;
    return Number(await until(notReady, look, isNumber, { everyMs: LOOK_MS, timeoutMs: READY_TIMEOUT_MS }));
  }
}
