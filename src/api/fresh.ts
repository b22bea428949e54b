import type { Request } from 'express';
import { z } from 'zod';
import { FRESH_HEADER, type FreshHeader, InvalidFresh, MOST_FRESH, parseFresh } from '../contracts/fresh.ts';
import type { Id } from '../contracts/id.ts';
import type { Freshness, FreshnessOfMany, FreshReads } from '../query/fresh-reads.ts';
import type { Deadline } from '../timing/deadline.ts';
import { HttpProblem } from './http-problem.ts';

/** The request headers of an answer that can show named changes at once. */
export const freshHeaders = z.object({
  [FRESH_HEADER]: z
    .string()
    .optional()
    .meta({
      description: `Changes that the answer must show although their tasks may still be in flight, once committed: up to ${MOST_FRESH} of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: \`contact=42/7@3\`. \`gtid=\` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers.`,
      example: 'contact=7@3, contact=12',
    }),
});

/** In lower case, as Node has the names of headers. */
const HEADER = FRESH_HEADER.toLowerCase();

interface ReadFor {
  readonly user: Id;
  readonly deadline: Deadline;
}

interface TimedAnswer {
  readonly timing: { readonly index: number; readonly db: number };
}

/**
 * Runs a read so that it shows the changes that the request names, if it names any.
 * @throws HttpProblem 400 for a header that is not valid; what the read throws
 */
export async function readFresh<T extends TimedAnswer>(
  fresh: Pick<FreshReads, 'read' | 'kinds'>,
  request: Pick<Request, 'headers'>,
  { user, deadline }: ReadFor,
  read: (freshness?: Freshness) => Promise<T>,
): Promise<T> {
  return await readManyFresh(fresh, request, { users: [user], deadline }, (freshness) => read(freshness?.of(user)));
}

/** The same for several users. @param users each may come several times */
export async function readManyFresh<T extends TimedAnswer>(
  fresh: Pick<FreshReads, 'read' | 'kinds'>,
  request: Pick<Request, 'headers'>,
  { users, deadline }: { readonly users: readonly Id[]; readonly deadline: Deadline },
  read: (freshness?: FreshnessOfMany) => Promise<T>,
): Promise<T> {
  const header = request.headers[HEADER];
  if (header === undefined) return await read();
  const tokens = tokensIn(String(header), [...new Set(users)], fresh.kinds);
  return await fresh.read({ ...tokens, deadline }, read);
}

function tokensIn(header: string, users: readonly Id[], kinds: readonly string[]): FreshHeader {
  try {
    return parseFresh(header, users, kinds);
  } catch (error) {
    if (!(error instanceof InvalidFresh)) throw error;
    const { message: detail } = error;
    throw new HttpProblem('invalid_header', {
      detail: `${FRESH_HEADER}: ${detail}`,
      errors: [{ field: FRESH_HEADER, in: 'header', detail }],
    });
  }
}
