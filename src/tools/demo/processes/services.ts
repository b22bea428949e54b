import { setTimeout as pause } from 'node:timers/promises';
import type { Id } from '../../../contracts/id.ts';
import { freePort } from '../../devservers/launch/free-port.ts';
import type { Place } from '../../harness/place.ts';
import type { Fleet } from '../../harness/processes/fleet.ts';
import { launchApi } from '../../harness/processes/launch-api.ts';
import { residentBytes } from '../../harness/processes/resident-bytes.ts';
import type { ServiceProcess } from '../../harness/processes/service-process.ts';

/** What the relay of the demonstration says of itself, again and again. */
export interface RelayCounts {
  /** Tasks that the outbox held. */
  readonly tasks: number;
  /** Messages that were put on the transport: some of the tasks twice. */
  readonly sent: number;
  /** Tasks that are still to be sent a second time. */
  readonly held: number;
}

export interface ServicesOptions {
  readonly place: Place;
  readonly seed: number;
  /** Whose photo tasks the relay sends once only. */
  readonly spared: Id;
}

const READY_TIMEOUT_MS = 60_000;
const LOOK_MS = 50;

const COMMAND_LINE = '../../../cli/main';

/** The API, the consumers and the relay, each a process of its own. */
export class Services {
  readonly apiUrl: string;
  readonly #fleet: Fleet;
  readonly #consumers = new Map<ServiceProcess, { metricsPort: number }>();
  #consumersStarted = 0;
  #relayCounts: RelayCounts = { tasks: 0, sent: 0, held: 0 };

  private constructor(fleet: Fleet, apiUrl: string) {
    this.#fleet = fleet;
    this.apiUrl = apiUrl;
  }

  /** @param fleet stopped by whoever made it @throws Error when one of them does not start */
  static async start(fleet: Fleet, { seed, spared }: Omit<ServicesOptions, 'place'>): Promise<Services> {
    const api = await launchApi(fleet);
    const services = new Services(fleet, api.url);
    const relay = fleet.start({
      name: 'relay',
      module: '../../demo/processes/unruly-relay',
      args: [String(seed), spared],
    });
    relay.onMessage((counts) => {
      services.#relayCounts = counts as RelayCounts;
    });
    await Promise.all([services.startConsumer(), services.startConsumer(), api.untilReady()]);
    return services;
  }

  get consumers(): readonly ServiceProcess[] {
    return [...this.#consumers.keys()];
  }

  get relayCounts(): RelayCounts {
    return this.#relayCounts;
  }

  async startConsumer(): Promise<ServiceProcess> {
    const metricsPort = await freePort();
    const name = `consumer ${++this.#consumersStarted}`;
    const settings = { METRICS_PORT: String(metricsPort) };
    const consumer = this.#fleet.start({ name, module: COMMAND_LINE, args: ['consume'], settings });
    this.#consumers.set(consumer, { metricsPort });
    return consumer;
  }

  async killConsumer(consumer: ServiceProcess): Promise<void> {
    this.#consumers.delete(consumer);
    await this.#fleet.kill(consumer);
  }

  /** What the consumers occupy together, bytes. */
  async consumersMemory(): Promise<number> {
    const sizes = await Promise.all([...this.#consumers.values()].map(({ metricsPort }) => this.#memory(metricsPort)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** A consumer that has just been started does not answer at once. */
  async #memory(metricsPort: number): Promise<number> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (;;) {
      const bytes = await Promise.race([this.#fleet.failed, residentBytes(metricsPort).catch((error: Error) => error)]);
      if (typeof bytes === 'number') return bytes;
      if (performance.now() > deadline) throw bytes;
      await pause(LOOK_MS);
    }
  }
}
