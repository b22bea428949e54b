import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ProblemCode } from '../contracts/problem.ts';
import { HttpProblem } from './http-problem.ts';
import { problemReply } from './reply.ts';

const CODES: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Answers what is not even HTTP, so that no request reaches the app, in the words of every other problem. */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const { status, headers, content } = problemReply(
    new HttpProblem(CODES[error.code ?? ''] ?? 'malformed_request'),
    id,
  );
  const all = { ...headers, 'X-Request-Id': id, 'Content-Length': Buffer.byteLength(content), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${content}`);
}
