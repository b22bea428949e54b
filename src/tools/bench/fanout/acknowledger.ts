import type { Redis } from 'ioredis';

const GROUP = 'bench';

/** The task of a fan-out on a stream of its own: delivered before the clock runs, acknowledged within. */
export class Acknowledger {
  readonly #client: Redis;
  readonly #stream: string;
  #delivered: string | undefined;

  private constructor(client: Redis, stream: string) {
    this.#client = client;
    this.#stream = stream;
  }

  static async on(client: Redis, stream: string): Promise<Acknowledger> {
    await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    return new Acknowledger(client, stream);
  }

  async deliver(): Promise<void> {
    const id = await this.#client.xadd(this.#stream, '*', 'type', 'recency.photo.uploaded');
    await this.#client.xreadgroup('GROUP', GROUP, 'worker', 'COUNT', 1, 'STREAMS', this.#stream, '>');
    this.#delivered = id ?? undefined;
  }

  async acknowledge(): Promise<void> {
    if (this.#delivered === undefined) throw new Error('nothing was delivered');
    await this.#client.xack(this.#stream, GROUP, this.#delivered);
  }
}
