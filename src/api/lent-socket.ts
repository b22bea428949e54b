import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * A connection as the HTTP server sees it, which can be taken back from it. Node's HTTP server keeps a parser, a request, a
 * response and their listeners for as long as a response lasts, 9 kB in all; a response that lasts for hours needs none of them.
 * Nothing public takes them from a connection, but the server takes any Duplex for one. It costs a request 1 to 3 µs.
 */
export class LentSocket extends Duplex {
  #socket: Socket | undefined;
  /** Called when there is room for more. */
  #written: (() => void) | undefined;
  #requests = 0;
  /** Some of a request has been received, and is not answered. */
  #isBusy = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    for (const [event, listener] of this.#listeners) socket.on(event, listener);
  }

  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket?.remotePort;
  }

  /** Requests whose answers are not written yet. */
  get requests(): number {
    return this.#requests;
  }

  /** All that was received is answered, and the answers have been handed to the operating system. */
  get isIdle(): boolean {
    return !this.#isBusy && (this.#socket?.writableLength ?? 0) === 0;
  }

  /** Whether anything was received, ever. */
  get hasReceived(): boolean {
    return (this.#socket?.bytesRead ?? 0) > 0;
  }

  /** To be told of each request, and when its response is closed. */
  requestBegan(): void {
    this.#requests += 1;
  }

  requestEnded(): void {
    this.#requests -= 1;
    this.#isBusy = this.#requests > 0;
  }

  /** ms without traffic until 'timeout'; 0: never. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#socket?.setTimeout(ms);
    if (onTimeout !== undefined) this.once('timeout', onTimeout);
    return this;
  }

  /**
   * Takes the connection from the HTTP server, for good: who calls this writes what is left of the response, which ends with
   * the connection. What the client sends is dropped.
   * @returns undefined where some of the response has not been written yet, or the connection is gone: it cannot be taken then
   */
  takeBack(): Socket | undefined {
    const socket = this.#socket;
    if (socket === undefined || this.writableLength > 0 || this.destroyed || socket.destroyed) return undefined;
    this.#socket = undefined;
    for (const [event, listener] of this.#listeners) socket.off(event, listener);
    this.destroy();
    // Functions that belong to no call, so that they keep nothing of it.
    socket.setTimeout(0).on('error', ignore).on('end', close).on('finish', close).resume();
    return socket;
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, written: () => void): void {
    this.#socket?.write(chunk, encoding);
    this.#whenThereIsRoom(written);
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], written: () => void): void {
    this.#socket?.cork();
    for (const { chunk, encoding } of chunks) this.#socket?.write(chunk, encoding);
    this.#socket?.uncork();
    this.#whenThereIsRoom(written);
  }

  /** At once, if there is, so that a response's headers are out of this stream as soon as they are written. */
  #whenThereIsRoom(written: () => void): void {
    if (this.#socket?.writableNeedDrain) this.#written = written;
    else written();
  }

  override _final(ended: () => void): void {
    this.#socket?.end(ended);
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#socket?.destroy();
    destroyed(error);
  }

  #received(chunk: Buffer): void {
    this.#isBusy = true;
    if (!this.push(chunk)) this.#socket?.pause();
  }

  #drained(): void {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  readonly #listeners = [
    ['data', (chunk: Buffer) => this.#received(chunk)],
    ['drain', () => this.#drained()],
    ['end', () => void this.push(null)],
    ['timeout', () => void this.emit('timeout')],
    ['error', (error: Error) => void this.destroy(error)],
    ['close', () => void this.destroy()],
  ] as const;
}

/** What breaks a connection also closes it. */
function ignore(): void {}

function close(this: Socket): void {
  this.destroy();
}
