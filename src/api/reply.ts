import { STATUS_CODES } from 'node:http';
import type { Writable } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Problem } from '../contracts/problem.ts';
import type { HttpProblem } from './http-problem.ts';
import { LentSocket } from './lent-socket.ts';

/** A route's answer, as data: only `send` writes to the connection. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer;
  /** Takes over once the headers are sent, and ends the response, with its connection. In place of `content`. */
  readonly stream?: (sink: Writable) => void;
}

// The part of helmet's headers that matters for data: never sniff the type, never run or frame it. Set here and not by
// helmet, because the fast routes send them with every answer.
const DATA_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return jsonText(status, JSON.stringify(value), headers);
}

/** Of JSON that is text already. */
export function jsonText(status: number, content: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const type = 'application/json; charset=utf-8';
  return { status, headers: { ...DATA_HEADERS, 'Content-Type': type, ...headers }, content };
}

export function text(status: number, type: string, content: string | Buffer): Reply {
  return { status, headers: { ...DATA_HEADERS, 'Content-Type': type }, content };
}

/** A reply for a browser, which asks for it anew each time; helmet has already set the security headers. */
export function page(type: string, content: string | Buffer): Reply {
  return { status: 200, headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' }, content };
}

export function noContent(headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 204, headers: { ...DATA_HEADERS, ...headers }, content: '' };
}

export function problemReply(problem: HttpProblem, requestId: string): Reply {
  const headers = { ...problem.headers, 'Content-Type': 'application/problem+json; charset=utf-8' };
  return json(problem.status, problemBody(problem, requestId), headers);
}

/** Problem details (RFC 9457). */
export function problemBody({ status, message, code, errors }: HttpProblem, requestId: string): Problem {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code,
    request_id: requestId,
    ...(errors[0] ? { field: errors[0].field, errors: [...errors] } : {}),
  };
}

/** Without a body, and so without its length. */
const BODYLESS = new Set([204, 304]);

/** Writes the reply in one go, not chunked; a stream as it comes. */
export function send(response: Response, { status, headers, content, stream }: Reply, requestId: string): void {
  if (stream !== undefined) {
    const { socket } = response;
    response.removeHeader('Transfer-Encoding'); // not in chunks: it ends when the connection does
    response.writeHead(status, { ...headers, 'X-Request-Id': requestId });
    response.flushHeaders();
    stream((socket instanceof LentSocket ? socket.takeBack() : undefined) ?? response);
    return;
  }
  const length = BODYLESS.has(status) ? {} : { 'Content-Length': String(Buffer.byteLength(content)) };
  response.writeHead(status, { ...headers, ...length, 'X-Request-Id': requestId });
  response.end(content);
}

/**
 * The security headers of pages. Scripts, styles and requests only from here and nothing inline. No HSTS: TLS is up to the proxy
 * in front.
 * @param images what may be shown besides the images from here @param formAction where forms may be sent
 */
export function pageSecurity({
  images = [],
  formAction,
}: {
  readonly images?: readonly string[];
  readonly formAction: "'none'" | "'self'";
}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", ...images],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': [formAction],
        'frame-ancestors': ["'none'"],
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
}
