import { connect, type Socket } from 'node:net';
import type { HttpAnswer } from './http.ts';

export interface MeasuredAnswer extends HttpAnswer {
  /** The status line and the headers. */
  readonly head: string;
}

interface Waiting {
  readonly resolve: (answer: MeasuredAnswer) => void;
  readonly reject: (reason: Error) => void;
}

const END_OF_HEAD = '\r\n\r\n';
const STATUS = /^HTTP\/1\.1 (\d{3}) /;
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * Sends one request at a time over one connection with as little overhead as possible: its own time is in everything that
 * it measures. It understands only answers with a Content-Length.
 */
export class MeasuringClient {
  readonly #host: string;
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #received: Buffer = Buffer.alloc(0);

  /** @param origin http://host:port */
  constructor(origin: string) {
    const { hostname, port, host } = new URL(origin);
    this.#host = host;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (bytes) => this.#receive(bytes));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error(`${origin} closed the connection`)));
  }

  /**
   * @param headers more of them
   * @throws Error when the connection breaks, or when the previous request is not answered yet
   */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<MeasuredAnswer> {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.#ask(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${more.join('')}\r\n`);
  }

  /** @param body JSON @throws as `get` */
  post(path: string, body: string): Promise<MeasuredAnswer> {
    const head = `Host: ${this.#host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return this.#ask(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  }

  #ask(request: string): Promise<MeasuredAnswer> {
    if (this.#waiting !== undefined) return Promise.reject(new Error('one question at a time'));
    if (this.#socket.destroyed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head === -1) return;
    const text = this.#received.toString('latin1', 0, head + 2);
    const [status, length] = [STATUS.exec(text)?.[1], LENGTH.exec(text)?.[1]];
    if (status === undefined || length === undefined) this.#fail(new Error(`not understood: ${text}`));
    else this.#answer(text, Number(status), head + END_OF_HEAD.length, Number(length));
  }

  #answer(head: string, status: number, from: number, length: number): void {
    if (this.#received.length < from + length) return;
    const body = this.#received.toString('utf8', from, from + length);
    this.#received = this.#received.subarray(from + length);
    this.#settle()?.resolve({ status, head, body });
  }

  #fail(error: Error): void {
    this.#settle()?.reject(error);
    this.#socket.destroy();
  }

  #settle(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
