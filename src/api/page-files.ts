import type { Request } from 'express';
import { entityTag, isKnown } from './entity-tag.ts';
import { HttpProblem } from './http-problem.ts';
import { page, type Reply } from './reply.ts';

/** A file that pages load: its media type, and what it holds. */
export type PageFile = readonly [type: string, content: string | Buffer];

/** Files that pages load, by name. They are read once: answers that wait to be sent share them. */
export class PageFiles {
  readonly #replies: ReadonlyMap<string, Reply & { readonly tag: string }>;

  constructor(files: Readonly<Record<string, PageFile>>) {
    this.#replies = new Map(Object.entries(files).map(([name, file]) => [name, replyOf(file)]));
  }

  /**
   * A browser keeps a file and asks each time whether it is still the one: after an upgrade, a page never meets a script of the
   * version before.
   * @throws HttpProblem 404
   */
  reply(name: unknown, { headers }: Pick<Request, 'headers'>): Reply {
    const reply = this.#replies.get(String(name));
    if (reply === undefined) throw new HttpProblem('not_found');
    return isKnown(headers['if-none-match'], reply.tag) ? { ...reply, status: 304, content: '' } : reply;
  }
}

function replyOf([type, content]: PageFile) {
  const { headers, ...reply } = page(type, content);
  const tag = entityTag(content);
  return { ...reply, tag, headers: { ...headers, ETag: tag } };
}
