import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LentSocket } from './lent-socket.ts';

/** How often a closing server looks for idle connections, ms. */
const IDLE_CHECK_MS = 25;

/** A connection that is not older may be about to send its first request, ms. */
const NEW_MS = 250;

/** The open connections of an HTTP server, for a graceful close. The server works on connections that are lent to it. */
export class ServerConnections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** Those that the server works on, with the time since when, monotonic ms. */
  readonly #lent = new Map<LentSocket, number>();
  readonly #forget = forgetIn(this.#open);
  readonly #forgetLent = forgetIn(this.#lent);
  #isDraining = false;

  constructor(server: Server) {
    this.#server = server;
    const [serve] = server.listeners('connection');
    if (serve === undefined) throw new Error('an HTTP server does not listen for connections');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => serve.call(server, this.#lend(socket)));
    server.prependListener('request', (request, response) => this.#begin(request, response));
    // Node's own takes an answer that was ended for one that was sent, and `server.close` calls it.
    server.closeIdleConnections = () => this.#closeIdle();
  }

  /** From now on each answer is the last one of its connection, and says so. */
  drain(): void {
    this.#isDraining = true;
  }

  /**
   * Stops accepting connections, lets requests finish and their answers be sent, and closes connections as they become idle.
   * After `graceMs`, cuts off the rest. Returns how many were cut off.
   */
  async close(graceMs: number): Promise<number> {
    this.drain();
    let cut = 0;
    const look = setInterval(() => this.#closeIdle(), IDLE_CHECK_MS);
    const end = setTimeout(() => {
      cut = this.#open.size;
      for (const socket of this.#open) socket.destroy();
    }, graceMs);
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    clearInterval(look);
    clearTimeout(end);
    return cut;
  }

  #begin({ socket }: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) response.setHeader('Connection', 'close');
    const lent = lentSocketOf(socket);
    lent.requestBegan();
    response.once('close', () => lent.requestEnded());
  }

  #lend(socket: Socket): LentSocket {
    const lent = new LentSocket(socket);
    this.#open.add(socket);
    this.#lent.set(lent, performance.now());
    // Not closures of this call: those would keep what was lent for as long as the connection, after it was taken back, too.
    socket.on('close', this.#forget);
    lent.on('close', this.#forgetLent);
    return lent;
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [lent, since] of this.#lent) {
      if (lent.isIdle && (lent.hasReceived || now - since > NEW_MS)) lent.destroy();
    }
  }
}

/** A listener that removes what it is called on. */
function forgetIn<T>(from: { delete(value: T): unknown }): (this: T) => void {
  return function forget(this: T) {
    from.delete(this);
  };
}

/** What a request of a server with {@link ServerConnections} came on. */
export function lentSocketOf(socket: Duplex): LentSocket {
  if (!(socket instanceof LentSocket)) throw new TypeError('a request on a connection that is not lent');
  return socket;
}
