import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server, as far away as its delay: everything that the server says arrives later. */
export class SlowProxy implements AsyncDisposable {
  readonly #listener: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL, delayMs: number) {
    this.#target = target;
    this.#listener = createServer((client) => this.#accept(client, delayMs));
  }

  /** @param url of the server; {@link url} is the same one through the proxy */
  static async before(url: string, delayMs: number): Promise<SlowProxy> {
    const proxy = new SlowProxy(new URL(url), delayMs);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.#target);
    const address = this.#listener.address();
    url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return url.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #accept(client: Socket, delayMs: number): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => setTimeout(() => client.write(bytes), delayMs)); // timers of the same delay keep their order
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket.setNoDelay());
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
