import type { Id } from '../../src/contracts/id.ts';
import type { Kind } from '../../src/contracts/kind.ts';
import type { Relation } from '../../src/contracts/relation.ts';
import type { ContactIndex, Limits } from '../../src/index/contact-index.ts';
import type { KindDatabase } from '../../src/mysql/statements/kind-statements.ts';
import { RecentContacts } from '../../src/query/recent-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import type { Journal } from '../../src/tools/demo/play/journal.ts';
import { judge, type Shown } from '../../src/tools/demo/play/judge.ts';
import type { Span } from '../../src/tools/demo/play/timeline.ts';
import { NO_LAG } from '../support/stores.ts';
import { expectUnmarked, type SeenBy } from './seen-by.ts';

interface QueryParts {
  readonly index: Pick<ContactIndex, 'read'>;
  readonly database: KindDatabase;
  readonly limits: Limits;
  readonly onCold: (user: Id) => void;
  readonly onLow: (user: Id) => void;
}

export interface Queries {
  readonly contacts: RecentContacts;
  readonly photos: RecentPhotos;
}

/** The code that answers clients, wired as in the API. */
export function queriesOn({ index, database, limits, onCold, onLow }: QueryParts): Queries {
  const now = () => performance.now();
  const contacts = new RecentContacts({
    ...{ index, database, ...limits, onCold, onLow, touch: true, now, ...NO_LAG },
  });
  return { contacts, photos: new RecentPhotos({ recent: contacts, database, now }) };
}

interface ClientOptions {
  readonly queries: Queries;
  readonly journal: Journal;
  /** The journal's clock. */
  readonly now: () => number;
  readonly seenBy: SeenBy;
  readonly kind: Kind;
}

type Marks = ReturnType<SeenBy['marksOf']>;

export interface Asked {
  readonly user: Id;
  readonly relation: Relation;
  readonly limit: number;
}

/** Queries as a client does and compares every answer with the journal: I7, at any moment. */
export class Client {
  readonly #options: ClientOptions;
  readonly queries: Queries;
  answers = 0;
  /** Answers narrowed by an index. */
  narrowed = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.queries = options.queries;
  }

  /** Reads a page of contacts and the one after it. @throws Error when an answer shows what it must not */
  async readContacts({ user, relation, limit }: Asked): Promise<void> {
    const { contacts } = this.#options.queries;
    const first = await this.#timed(user, () => contacts.find({ user, relation, limit, below: undefined }));
    this.#judge(user, first);
    this.#options.seenBy.show(user, first.answer.contacts);
    const below = first.answer.contacts.at(-1);
    if (!first.answer.more || below === undefined) return;
    this.#judge(user, await this.#timed(user, () => contacts.find({ user, relation, limit, below })));
  }

  /** Counts what is new to the user. @throws Error when something else is counted, or what was marked before */
  async readUnseen(user: Id): Promise<void> {
    const { contacts } = this.#options.queries;
    const all = { user, relation: 'any', limit: 100, below: undefined, unseen: true } as const;
    const read = await this.#timed(user, () => contacts.find(all));
    this.#judge(user, read);
    const rows = read.answer.contacts;
    if (rows.some(({ unseen }) => !unseen)) throw new Error(`seen, and listed as unseen: ${JSON.stringify(rows)}`);
    const ids = new Set(rows.map(({ id }) => id));
    if (ids.size < rows.length) throw new Error(`counted twice: ${JSON.stringify(rows)}`);
    this.#options.seenBy.show(user, rows);
  }

  /** @throws Error when an answer shows what it must not */
  async readPhotos({ user, relation, limit }: Asked): Promise<void> {
    const { photos } = this.#options.queries;
    const asked = await this.#timed(user, () => photos.find({ user, relation, contacts: limit, photos: 2 }));
    this.#judge(user, asked);
  }

  async #timed<T>(user: Id, ask: () => Promise<T>): Promise<{ answer: T; span: Span; marks: Marks }> {
    const from = this.#options.now();
    const marks = this.#options.seenBy.marksOf(user);
    const answer = await ask();
    return { answer, span: { from, until: this.#options.now() }, marks };
  }

  /** I7, of rows of this kind in an answer. @throws Error when one shows what it must not */
  judgeRows(user: Id, rows: readonly ShownRow[], span: Span, source: string): void {
    this.answers++;
    if (source === 'index') this.narrowed++;
    const { journal, kind } = this.#options;
    for (const shown of rows.flatMap((row) => shownBy(user, kind, row))) {
      const wrong = judge(journal, shown, span);
      if (wrong !== undefined) throw new Error(`I7: ${wrong}: ${JSON.stringify(shown)} (from the ${source})`);
    }
  }

  #judge(user: Id, { answer, span, marks }: { answer: Answered; span: Span; marks: Marks }): void {
    if (answer.exact) expectUnmarked(user, answer.contacts, marks);
    this.judgeRows(user, answer.contacts, span, answer.source);
  }
}

interface ShownRow {
  readonly id: Id;
  readonly at: number;
  readonly unseen: boolean;
  readonly photos?: readonly { readonly id: Id; readonly uploadedAt: number }[];
}

interface Answered {
  readonly source: string;
  readonly exact: boolean;
  readonly contacts: readonly ShownRow[];
}

/** Everything that a row of an answer contains. */
function shownBy(user: Id, kind: Kind, { id, at, photos = [] }: ShownRow): Shown[] {
  const source = kind.areUsers ? { contact: id } : { group: id };
  const shown = photos.map((photo) => ({ user, ...source, at: photo.uploadedAt, photo: photo.id }));
  return [{ user, ...source, at }, ...shown];
}
