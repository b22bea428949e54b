import type { Id } from '../../../contracts/id.ts';
import { MeasuringClient } from '../../harness/measuring-client.ts';

export interface Answered {
  readonly ms: number;
  /** `refused`: 503 with Retry-After; `failed`: anything else that is no answer. */
  readonly source: 'index' | 'database' | 'refused' | 'failed';
}

/** Many clients, each of whom asks again as soon as the last answer has come. */
export class Crowd {
  readonly #origin: string;
  readonly #size: number;
  #clients: MeasuringClient[] = [];

  constructor(origin: string, size: number) {
    this.#origin = origin;
    this.#size = size;
    this.open();
  }

  open(): void {
    this.#clients = Array.from({ length: this.#size }, () => new MeasuringClient(this.#origin));
  }

  /** Closes every connection, whether or not an answer is waited for. */
  close(): void {
    for (const client of this.#clients) client.close();
  }

  /**
   * Asks about users drawn by lot, for so many ms. Those who wait for an answer then get it, or are cut off.
   * @returns what was answered
   */
  async ask(users: readonly Id[], ms: number, cutOff: boolean, signal: AbortSignal): Promise<Answered[]> {
    const end = performance.now() + ms;
    const answered: Answered[] = [];
    const lane = async (client: MeasuringClient) => {
      while (performance.now() < end) {
        signal.throwIfAborted();
        answered.push(await askOnce(client, users[Math.floor(Math.random() * users.length)] ?? ''));
      }
    };
    const lanes = this.#clients.map((client) =>
      lane(client).catch((error: unknown) => {
        if (!cutOff || performance.now() < end) throw error;
      }),
    );
    const cutting = cutOff ? setTimeout(() => this.close(), ms) : undefined;
    try {
      await Promise.all(lanes);
    } finally {
      clearTimeout(cutting);
    }
    return answered;
  }
}

async function askOnce(client: MeasuringClient, user: Id): Promise<Answered> {
  const from = performance.now();
  const { status, head, body } = await client.get(`/v1/users/${user}/contacts/recent`);
  const ms = performance.now() - from;
  if (status === 200) return { ms, source: body.includes('"source":"index"') ? 'index' : 'database' };
  return { ms, source: status === 503 && /\r\nretry-after: \d/i.test(head) ? 'refused' : 'failed' };
}
