interface Opened<Client> {
  readonly client: Promise<Client>;
  /** Questions that are being answered. */
  asking: number;
}

/**
 * A client that several questions use at once. After an error the next question opens another one. The former is closed when no question
 * needs it any more: kafkajs answers one whose client is closed with a TypeError, which looks as if it would not pass.
 */
export class SharedClient<Client> {
  readonly #open: () => Promise<Client>;
  readonly #close: (client: Client) => Promise<void>;
  #opened: Opened<Client> | undefined;

  constructor(open: () => Promise<Client>, close: (client: Client) => Promise<void>) {
    this.#open = open;
    this.#close = close;
  }

  /** @throws what opening a client throws, what the question throws */
  async ask<Answer>(question: (client: Client) => Promise<Answer>): Promise<Answer> {
    this.#opened ??= { client: this.#open(), asking: 0 };
    const opened = this.#opened;
    opened.asking++;
    try {
      return await question(await opened.client);
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    } finally {
      opened.asking--;
      if (this.#opened !== opened && opened.asking === 0) await this.#closed(opened);
    }
  }

  /** The next question opens another one. */
  async renew(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened?.asking === 0) await this.#closed(opened);
  }

  /** Questions that are being answered fail. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) await this.#closed(opened);
  }

  /** Ignores errors: nobody can do anything about a client that cannot be closed. */
  async #closed({ client }: Opened<Client>): Promise<void> {
    await client.then(this.#close).catch(() => undefined);
  }
}
