import type { Request } from 'express';
import { z } from 'zod';
import { encodeThrough, type ShownList } from '../contracts/seen.ts';
import { entityTag, isKnown } from './entity-tag.ts';
import { jsonText, noContent, type Reply } from './reply.ts';
import type { DocumentedReply } from './route.ts';
import type { FoundHead } from './streams/open-stream.ts';
import { answerView, type Certainty, serverTiming } from './views.ts';

/** An answer about a user's sources, whatever its rows are. */
interface FoundAnswer extends Certainty {
  /** Time spent waiting for Redis and MySQL, ms. */
  readonly timing: { readonly index: number; readonly db: number };
}

/**
 * The client may keep the answer, but asks each time whether it is still the one: it changes at any moment. Nobody in between
 * keeps it, because it is one user's. What is refreshed before answering, and who asks, are in request headers.
 */
const CACHING = { 'Cache-Control': 'private, no-cache', Vary: 'Authorization, Recency-Fresh' };

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
  const headers = { ...CACHING, ETag: answerTag(rows, found.exact), ...serverTiming(found.timing) };
  if (isKnown(request.headers['if-none-match'], headers.ETag)) return { ...noContent(headers), status: 304 };
  return jsonText(200, withAnswer(rows, found, lists), headers);
}

/** The same answer with its tag, for a stream. */
export function answerHead(shown: object, lists: ShownList | readonly ShownList[], found: Certainty): FoundHead {
  const rows = JSON.stringify(shown);
  return { tag: answerTag(rows, found.exact), text: withAnswer(rows, found, lists) };
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
 * read. The rest of `answer` (the source, the floor, the times) then differs byte for byte.
 */
function answerTag(rows: string, exact: boolean): string {
  return entityTag(`${exact} ${rows}`);
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
