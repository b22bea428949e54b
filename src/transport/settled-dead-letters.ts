import { isBulkTask } from '../contracts/bulk-task.ts';
import type { Id } from '../contracts/id.ts';
import { type DeliveredTask, meaningOf } from '../contracts/task.ts';
import type { Database } from '../mysql/database.ts';
import { insertSettled, type SettledLetter, settledAmong } from '../mysql/settled-letters.ts';
import { decodeTask, InvalidTask } from './cloud-events.ts';
import type {
  DeadLetter,
  DeadLetters,
  Discarded,
  ErasedLetters,
  ListedLetter,
  Replayed,
  TransportLetters,
} from './dead-letters.ts';

/** Headers that hold numbers which are no ids. */
const NUMBERS = /^(?:dlq-original-|dlq-attempts$|dlq-body-bytes$|dlq-headers-omitted$|ce_time$)/;

/**
 * Whether a dead letter names a user: alone, together with others (or in a message that is no task, so that nobody knows), or not.
 * @param areUsers are contacts users?
 */
function namingOf({ body, headers }: DeadLetter, user: Id, areUsers: boolean): 'alone' | 'with others' | 'not' {
  const task = taskOf({ body, headers });
  if (task !== undefined) {
    const ids = usersOf(task, areUsers);
    if (ids.includes(user)) return ids.every((id) => id === user) && !isBulkTask(task) ? 'alone' : 'with others';
  }
  const texts = Object.entries(headers).flatMap(([name, value]) => (NUMBERS.test(name) ? [] : [value]));
  const id = new RegExp(`(?<!\\d)${user}(?!\\d)`);
  const isNamed = task === undefined && [body?.toString('utf8') ?? '', ...texts].some((text) => id.test(text));
  return isNamed ? 'with others' : 'not';
}

function taskOf(letter: Pick<DeadLetter, 'body' | 'headers'>): DeliveredTask | undefined {
  try {
    return decodeTask(letter);
  } catch (error) {
    if (error instanceof InvalidTask) return undefined;
    throw error;
  }
}

/** The people in a task. A group is nobody, but a task about one also concerns its members. */
function usersOf(task: DeliveredTask, areUsers: boolean): readonly string[] {
  if (isBulkTask(task)) return areUsers && task.kind === 'contacts' ? [task.owner] : [];
  const meaning = meaningOf(task);
  if (meaning.of === 'user') return [meaning.user];
  const isUser = areUsers && meaning.kind.areUsers;
  if (meaning.of === 'photos') return isUser ? [meaning.owner] : [];
  return [meaning.user, isUser ? meaning.contact : `${meaning.kind.name} ${meaning.contact}`];
}

interface SettledDeadLettersOptions {
  readonly letters: TransportLetters;
  readonly database: Database;
  /** The stream or topic of the letters. */
  readonly place: string;
  /** Are contacts users (true)? */
  readonly areContactsUsers?: boolean;
  /** ms since 1970 UTC. */
  readonly clock?: () => number;
}

/** Letters that are read, or noted, together at most. */
const PAGE = 1_000;

/**
 * Dead letters of a transport, without those that somebody has dealt with: a topic keeps its records, so what was replayed or
 * discarded is noted in MySQL, with the reason.
 */
export class SettledDeadLetters implements DeadLetters {
  readonly #options: SettledDeadLettersOptions;

  constructor(options: SettledDeadLettersOptions) {
    this.#options = options;
  }

  put(letters: Parameters<DeadLetters['put']>[0]): Promise<void> {
    return this.#options.letters.put(letters);
  }

  async list({ limit, after }: { limit: number; after?: string }): Promise<ListedLetter[]> {
    const { letters, database, place } = this.#options;
    const found: ListedLetter[] = [];
    let [from, size] = [after, limit];
    while (found.length < limit) {
      const page = await letters.list({ limit: size, ...(from === undefined ? {} : { after: from }) });
      const settled = await settledAmong(
        database,
        place,
        page.map(({ id }) => id),
      );
      found.push(...page.filter(({ id }) => !settled.has(id)));
      if (page.length < size) break;
      from = page.at(-1)?.id;
      size = Math.max(limit, Math.min(2 * size, PAGE)); // many may be dealt with, one after the other
    }
    return found.slice(0, limit);
  }

  /** Also one that is dealt with. */
  get(id: string): Promise<DeadLetter | undefined> {
    return this.#options.letters.get(id);
  }

  async replay(ids: readonly string[]): Promise<Replayed> {
    const replayed = await this.#options.letters.replay(ids);
    const known = [...new Set(ids)].filter((id) => !replayed.missing.includes(id));
    await this.#settle(await this.#find(known), 'replayed', '');
    return replayed;
  }

  async discard(which: readonly string[] | { readonly type: string }, why: string): Promise<Discarded> {
    if ('type' in which) return { discarded: await this.#discardType(which.type, why), missing: [] };
    const ids = [...new Set(which)];
    const found = await this.#find(ids);
    await this.#settle(found, 'discarded', why);
    const known = new Set(found.map(({ id }) => id));
    return { discarded: [...known], missing: ids.filter((id) => !known.has(id)) };
  }

  async naming(user: Id): Promise<ReadonlySet<string>> {
    const { letters, areContactsUsers = true } = this.#options;
    const ids = new Set<string>();
    for await (const letter of letters.all())
      if (namingOf(letter, user, areContactsUsers) !== 'not') ids.add(letter.id);
    return ids;
  }

  async erase(user: Id): Promise<ErasedLetters> {
    const { letters, areContactsUsers = true } = this.#options;
    const alone: string[] = [];
    let [left, newest] = [0, undefined as number | undefined];
    for await (const letter of letters.all()) {
      const naming = namingOf(letter, user, areContactsUsers);
      if (naming === 'alone' && letters.remove) alone.push(letter.id);
      else if (naming !== 'not') [left, newest] = [left + 1, Math.max(newest ?? 0, letter.timestamp)];
    }
    await letters.remove?.(alone);
    return { erased: alone.length, left, newest };
  }

  close(): Promise<void> {
    return this.#options.letters.close();
  }

  async #discardType(type: string, why: string): Promise<string[]> {
    const discarded: string[] = [];
    let from: string | undefined;
    for (;;) {
      const page = await this.list({ limit: PAGE, ...(from === undefined ? {} : { after: from }) });
      const found = page.filter(({ headers }) => headers.ce_type === type);
      await this.#settle(found, 'discarded', why);
      discarded.push(...found.map(({ id }) => id));
      if (page.length < PAGE) return discarded;
      from = page.at(-1)?.id;
    }
  }

  async #find(ids: readonly string[]): Promise<DeadLetter[]> {
    const found: DeadLetter[] = [];
    for (const id of ids) {
      const letter = await this.#options.letters.get(id);
      if (letter !== undefined) found.push(letter);
    }
    return found;
  }

  async #settle(
    letters: readonly Pick<DeadLetter, 'id' | 'headers'>[],
    outcome: SettledLetter['outcome'],
    why: string,
  ): Promise<void> {
    const { database, place, clock = Date.now } = this.#options;
    const rows = letters.map(({ id, headers }) => {
      const type = (headers.ce_type ?? '').slice(0, 64);
      return { id, outcome, type, why: why.slice(0, 1_000), settledAt: clock() };
    });
    await insertSettled(database, place, rows);
  }
}
