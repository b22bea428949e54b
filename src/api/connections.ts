import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** ms between two looks at which connections have fallen idle. */
const LOOK_MS = 25;

/** The connections of a server, for closing it in order. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /**
   * Accepts nothing more, lets what is in work finish, and closes connections as they fall idle. Cuts the rest off after
   * `graceMs`. Returns how many were cut off.
   */
  async close(graceMs: number): Promise<number> {
    let cut = 0;
    const look = setInterval(() => this.#closeIdle(), LOOK_MS);
    const end = setTimeout(() => {
      cut = this.#open.size;
      this.#server.closeAllConnections();
    }, graceMs);
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#closeIdle();
    });
    clearInterval(look);
    clearTimeout(end);
    return cut;
  }

  /** Node closes those that have answered. One that never sent a byte is to Node a request under way. */
  #closeIdle(): void {
    this.#server.closeIdleConnections();
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }
}
