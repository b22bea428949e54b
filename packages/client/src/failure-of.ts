import {
  type Problem,
  type RecencyError,
  RecencyNotModified,
  RecencyProblem,
  RecencyUnexpectedReply,
} from './errors.ts';
import { shown } from './id.ts';
import { retryAfterOf } from './retry.ts';

/** The error that stands for an answer which is none of success. @param body parsed, where it is JSON */
export function failureOf({ status, headers }: Response, body: unknown): RecencyError {
  if (status === 304) return new RecencyNotModified();
  const retryAfterMs = retryAfterOf(headers, Date.now());
  const type = headers.get('content-type') ?? 'missing';
  if (type.startsWith('application/problem+json') && isProblem(body)) return new RecencyProblem(body, retryAfterMs);
  const begin = shown(typeof body === 'string' ? body : JSON.stringify(body));
  return new RecencyUnexpectedReply(status, `its type is ${type}, and it begins with ${begin}`, retryAfterMs);
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { code, status, detail } = body as Partial<Problem>;
  return typeof code === 'string' && typeof status === 'number' && typeof detail === 'string';
}
