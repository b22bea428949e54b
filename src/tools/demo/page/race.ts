import type { Id } from '../../../contracts/id.ts';
import { loop } from '../../../timing/loop.ts';
import { quantile, type VariantName } from '../../harness/latency.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';

export interface RaceOptions {
  /** Where each arm answers. */
  readonly urls: Readonly<Record<VariantName, string>>;
  readonly users: readonly { readonly user: Id; readonly contacts: number }[];
  /** Nobody runs meanwhile. */
  readonly isResting: () => boolean;
}

/** The arms for one user. */
export interface RaceRow {
  readonly contacts: number;
  readonly arms: readonly RaceArm[];
}

export interface RaceArm {
  readonly name: VariantName;
  /** Median of its latest requests, ms; undefined: it has not been asked yet, or did not answer. */
  readonly p50: number | undefined;
  readonly requests: number;
}

export const ARMS: readonly VariantName[] = ['sql', 'recipe', 'recency'];

/** From one request to the next: modest, because everything shares the machine. */
const EVERY_MS = 100;

/** A connection that was broken is made again after this. */
const AFTER_FAILURE_MS = 500;

/** Requests that the median is of. */
const LATEST = 25;

interface RaceCell {
  readonly arm: VariantName;
  readonly user: Id;
  readonly contacts: number;
  readonly times: number[];
  requests: number;
}

/** The same request to each arm in turns, one at a time, for as long as the page is there. */
export class ArmRace {
  readonly #options: RaceOptions;
  readonly #cells: readonly RaceCell[];
  readonly #clients = new Map<VariantName, MeasuringClient>();
  #turn = 0;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#cells = options.users.flatMap(({ user, contacts }) =>
      ARMS.map((arm) => ({ arm, user, contacts, times: [], requests: 0 })),
    );
  }

  get rows(): RaceRow[] {
    return this.#options.users.map(({ contacts }) => ({
      contacts,
      arms: this.#cells
        .filter((cell) => cell.contacts === contacts)
        .map(({ arm, times, requests }) => {
          return { name: arm, requests, p50: times.length === 0 ? undefined : quantile(times, 0.5) };
        }),
    }));
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const round = async () => {
      if (!this.#options.isResting()) await this.askOne();
      return EVERY_MS;
    };
    await loop({ signal, round, onError: () => AFTER_FAILURE_MS });
    for (const client of this.#clients.values()) client.close();
  }

  /** Asks the arm whose turn it is. @throws Error when it does not answer */
  async askOne(): Promise<void> {
    const cell = this.#cells[this.#turn++ % this.#cells.length];
    if (cell === undefined) return;
    const client = this.#clientOf(cell.arm);
    const from = performance.now();
    try {
      const { status } = await client.get(`/v1/users/${cell.user}/contacts/recent`);
      if (status !== 200) throw new Error(`the arm ${cell.arm} answered with ${status}`);
    } catch (error) {
      cell.times.length = 0;
      this.#clients.delete(cell.arm);
      client.close();
      throw error;
    }
    cell.times.push(performance.now() - from);
    cell.requests++;
    if (cell.times.length > LATEST) cell.times.shift();
  }

  #clientOf(arm: VariantName): MeasuringClient {
    const client = this.#clients.get(arm) ?? new MeasuringClient(this.#options.urls[arm]);
    this.#clients.set(arm, client);
    return client;
  }
}
