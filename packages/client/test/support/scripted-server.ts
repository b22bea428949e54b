import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** By the monotonic clock, ms. */
  readonly at: number;
}

/** Answers one request. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** An HTTP server that answers request after request as the list says; the last answer is for all further ones. */
export class ScriptedServer {
  readonly received: Received[] = [];
  #url = '';

  static async start(...answers: [Answering, ...Answering[]]): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const body = Buffer.concat(chunks).toString();
        const answer = answers[Math.min(scripted.received.length, answers.length - 1)];
        scripted.received.push({ method, path: url, headers, body, at: performance.now() });
        answer?.(response, request);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    scripted.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return scripted;
  }

  get url(): string {
    return this.#url;
  }

  /** The time between each request and the one before, ms. */
  get waits(): number[] {
    return this.received.slice(1).map(({ at }, i) => at - (this.received[i]?.at ?? 0));
  }
}

export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };

/** A problem as the API sends it. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): Answering {
  const body = { type: 'about:blank', title: 'T', status, detail: 'Some detail.', code, request_id: 'r1' };
  return json(status, body, { 'content-type': 'application/problem+json; charset=utf-8', ...headers });
}

/** Breaks the connection without an answer. */
export const breaks: Answering = (response) => response.destroy();

/** Never answers. */
export const hangs: Answering = () => undefined;

/** An empty recency list. */
export const empty = json(200, { user: '42', contacts: [], next: null, answer: {} });
