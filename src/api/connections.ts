import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How often a closing server looks for idle connections, ms. */
const IDLE_CHECK_MS = 25;

/** The open connections of an HTTP server, for a graceful close. */
export class ServerConnections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    const open = this.#open;
    function forget(this: Socket) {
      open.delete(this);
    }
    server.on('connection', (socket: Socket) => void open.add(socket.on('close', forget)));
  }

  /**
   * Stops accepting connections, lets requests finish, and closes connections as they become idle. After `graceMs`, cuts
   * off the rest. Returns how many were cut off.
   */
  async close(graceMs: number): Promise<number> {
    let cut = 0;
    const look = setInterval(() => this.#closeIdle(), IDLE_CHECK_MS);
    const end = setTimeout(() => {
      cut = this.#open.size;
      this.#server.closeAllConnections();
      for (const socket of this.#open) socket.destroy(); // those that the server has lent, too
    }, graceMs);
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#closeIdle();
    });
    clearInterval(look);
    clearTimeout(end);
    return cut;
  }

  /** Node closes idle connections, but takes one that never sent a byte for a request under way. */
  #closeIdle(): void {
    this.#server.closeIdleConnections();
    for (const socket of this.#open) if (socket.bytesRead === 0) socket.destroy();
  }
}
