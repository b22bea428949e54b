import type { Id } from '../contracts/id.ts';
import { allUntil, cursorOfSource, type SeenCursor, type ShownList, sourceUntil } from '../contracts/seen.ts';
import { UserError } from '../contracts/user-error.ts';
import type { Database } from '../mysql/database.ts';
import { raiseSeen } from '../mysql/statements/seen.ts';

/** What a user has seen. */
export interface SeenMark {
  readonly user: Id;
  /** The names of the kinds concerned: one, or all in use. */
  readonly kinds: readonly string[];
  /** One source of the only kind; undefined: all. */
  readonly source: Id | undefined;
  /** What was shown, or a time in ms since 1970 UTC. */
  readonly seen: { readonly through: readonly ShownList[] } | { readonly at: number };
}

/** The token does not say what was shown of the lists concerned. */
export class OtherLists extends UserError {
  override readonly name = 'OtherLists';
}

interface MarkSeenOptions {
  /** The primary. */
  readonly database: Database;
}

/**
 * Raises the cursors of what a user has seen. A cursor never falls, so a mark that is late, repeated or lower changes nothing.
 * A time in the future, of the request or of a photo that was shown, is taken for now, so that photo stays unseen.
 */
export class MarkSeen {
  readonly #options: MarkSeenOptions;

  constructor(options: MarkSeenOptions) {
    this.#options = options;
  }

  /** @throws OtherLists, DatabaseUnavailable */
  async mark(mark: SeenMark): Promise<void> {
    const { database } = this.#options;
    const { seen } = mark;
    const cursors = 'at' in seen ? cursorsUntil(mark, seen.at) : cursorsThrough(mark, seen.through);
    await raiseSeen(database, mark.user, cursors);
  }
}

function cursorsUntil({ kinds, source }: SeenMark, at: number): SeenCursor[] {
  if (at <= 0) return [];
  return kinds.map((kind) => (source === undefined ? allUntil(kind, at) : sourceUntil(kind, source, at)));
}

function cursorsThrough({ kinds, source }: SeenMark, through: readonly ShownList[]): SeenCursor[] {
  const lists = through.filter((list) => kinds.includes(list.kind));
  if (lists.length === 0) {
    throw new OtherLists(`is of an answer that shows no ${kinds.join(' or ')}`);
  }
  const other = lists.find((list) => list.source !== undefined && list.source !== source);
  if (other !== undefined) {
    throw new OtherLists(`is of an answer that shows only photos of ${other.source}, one of the ${other.kind}`);
  }
  return lists.flatMap((list) => {
    const cursor = source === undefined ? cursorOfKind(list) : cursorOfSource(list, source);
    return cursor === undefined ? [] : [cursor];
  });
}

function cursorOfKind({ kind, key }: ShownList): SeenCursor | undefined {
  return key && { kind, source: '0', ...key };
}
