import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
  /** The next bytes of the client meet a reset. */
  isForgotten: boolean;
}

/** A TCP proxy in front of a server, which can break connections as a network does. */
export class TcpProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  #target: URL;
  /** A second server, which every other new connection leads to. */
  #other: URL | undefined;
  #takesNew = true;
  #losing = 0;
  #received = 0;
  /**
   * Called with what a client sends. Returns what the client gets as the reply, without the server; null: its connection breaks;
   * undefined: the server gets it.
   */
  answer: (request: Buffer) => Buffer | null | undefined = () => undefined;

  private constructor(target: URL) {
    this.#target = target;
    this.#listener = createServer((client) => this.#accept(client));
  }

  /** @param url of the server; {@link url} is the same one through the proxy */
  static async before(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.#listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    const address = this.#listener.address();
    url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return url.href;
  }

  /** Bytes that clients have sent. */
  get received(): number {
    return this.#received;
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Drops everything sent over the open connections, in both directions, without closing them: half-open. */
  silence({ alsoNew = false } = {}): void {
    this.#takesNew = !alsoNew;
    for (const pair of this.#pairs) pair.isSilent = true;
  }

  /**
   * Forgets the open connections, as a firewall or a balancer does that drops what was idle: the client learns of it by a reset when it
   * sends something. New connections work.
   */
  forget(): void {
    for (const pair of this.#pairs) pair.isForgotten = true;
  }

  /** New connections work again. */
  restore(): void {
    this.#takesNew = true;
  }

  /** The server executes the next `count` requests, but instead of the reply the client sees its connection break. */
  loseReplies(count: number): void {
    this.#losing = count;
  }

  /** Replies still to be lost. */
  get toLose(): number {
    return this.#losing;
  }

  /** Puts another server behind the proxy. Connections to the previous one break, unless they are kept. */
  leadTo(url: string, { keepOld = false } = {}): void {
    this.#target = new URL(url);
    if (!keepOld) for (const pair of this.#pairs) this.#break(pair);
  }

  /** From now on every other new connection leads to this server, as behind a balancer. */
  alternateWith(url: string): void {
    this.#other = new URL(url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) this.#break(pair);
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #accept(client: Socket): void {
    const target = this.#target;
    const server = connect(Number(target.port), target.hostname);
    if (this.#other !== undefined) [this.#target, this.#other] = [this.#other, target];
    const pair: Pair = { client, server, isSilent: !this.#takesNew, isForgotten: false };
    this.#pairs.add(pair);
    client.on('data', (bytes) => {
      this.#received += bytes.length;
      if (pair.isForgotten) this.#reset(pair);
      else if (!pair.isSilent) this.#pass(pair, bytes);
    });
    server.on('data', (bytes) => pair.isSilent || this.#answer(pair, bytes));
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => pair.isSilent || this.#break(pair));
    }
  }

  #pass(pair: Pair, bytes: Buffer): void {
    const answer = this.answer(bytes);
    if (answer === undefined) pair.server.write(bytes);
    else if (answer === null) this.#reset(pair);
    else pair.client.write(answer);
  }

  #answer(pair: Pair, bytes: Buffer): void {
    if (this.#losing === 0) {
      pair.client.write(bytes);
      return;
    }
    this.#losing--;
    this.#break(pair);
  }

  #reset(pair: Pair): void {
    pair.client.resetAndDestroy();
    this.#break(pair);
  }

  #break(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
