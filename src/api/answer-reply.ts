import { hash } from 'node:crypto';
import type { Request } from 'express';
import { z } from 'zod';
import { encodeThrough, type ShownList } from '../contracts/seen.ts';
import { jsonText, noContent, type Reply } from './reply.ts';
import type { DocumentedReply } from './route.ts';
import type { FoundHead } from './streams/event-text.ts';
import { answerView, type Certainty, serverTiming } from './views.ts';

/** An answer about a user's sources, whatever its rows are. */
export interface FoundAnswer extends Certainty {
  /** Time spent waiting for Redis and MySQL, ms. */
  readonly timing: { readonly index: number; readonly db: number };
}

/**
 * The client may keep the answer, but asks each time whether it is still the one: it changes at any moment. Nobody in between
 * keeps it, because it is one user's. What is refreshed before answering, and who asks, are in request headers.
 */
const CACHING = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Recency-Fresh' };

/** Characters of a tag, in base64url: 132 bits. */
const TAG_LENGTH = 22;

/**
 * Replies with an answer, or with 304 when the client says that it has it.
 * @param shown the body without `answer`, not empty: the user, the rows, and where the next page begins
 * @param lists what the rows show of each list: one, or one for each kind
 */
export function answerReply(
  request: Request,
  shown: object,
  lists: ShownList | readonly ShownList[],
  found: FoundAnswer,
): Reply {
  const rows = JSON.stringify(shown);
  const headers = { ...CACHING, ETag: entityTag(rows, found.exact), ...serverTiming(found.timing) };
  if (isKnown(request.headers['if-none-match'], headers.ETag)) return { ...noContent(headers), status: 304 };
  return jsonText(200, withAnswer(rows, found, lists), headers);
}

/** The same answer with its tag, for a stream. */
export function answerHead(shown: object, lists: ShownList | readonly ShownList[], found: Certainty): FoundHead {
  const rows = JSON.stringify(shown);
  return { tag: entityTag(rows, found.exact), text: withAnswer(rows, found, lists) };
}

/** @param rows the body without `answer`: they are written as text once */
function withAnswer(rows: string, found: Certainty, lists: ShownList | readonly ShownList[]): string {
  return `${rows.slice(0, -1)},"answer":${JSON.stringify(answerWith(found, lists))}}`;
}

/** The field `answer`. */
export function answerWith(found: Certainty, lists: ShownList | readonly ShownList[]) {
  return { ...answerView(found), through: encodeThrough([lists].flat()) };
}

/**
 * The tag of an answer: the same for the same rows of the same exactness, wherever they came from and whenever they were
 * read. It is weak, because the rest of `answer` (the source, the floor, the times) then differs byte for byte
 * (RFC 9110, 8.8.1).
 */
function entityTag(rows: string, exact: boolean): string {
  return `W/"${hash('sha256', `${exact} ${rows}`, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/**
 * Does the client have the answer with this tag? Compared weakly, as RFC 9110 (13.1.2) says for If-None-Match. Not by
 * express's `request.fresh`: it answers 200 whenever the request has `Cache-Control: no-cache`, which `fetch` adds to every
 * request with an If-None-Match, and which only tells caches to ask.
 */
function isKnown(condition: string | undefined, tag: string): boolean {
  if (condition === undefined) return false;
  const opaque = tag.slice('W/'.length);
  return condition.trim() === '*' || condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

const answerHeaders = z.object({
  ETag: z.string().meta({
    description:
      'Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match.',
  }),
  'Cache-Control': z.literal('private, no-cache'),
  Vary: z.string(),
  'Server-Timing': z.string().meta({ description: 'Time spent waiting, ms. index: Redis; db: MySQL.' }),
});

/** The request headers of a route that replies by `answerReply`. */
export const answerRequestHeaders = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .meta({ description: 'The ETag of the answer that the client has; the reply is 304 if it is still the same.' }),
});

/** The replies of a route that replies by `answerReply`. */
export function answerReplies(description: string, schema: z.ZodType): Readonly<Record<string, DocumentedReply>> {
  return {
    200: { description, schema, headers: answerHeaders },
    304: { description: 'The client has this answer. There is no body.', headers: answerHeaders },
  };
}
