import type { Id } from '../../../contracts/id.ts';
import type { HttpAnswer, HttpClient } from '../../harness/http.ts';
import { between, type Random } from '../random.ts';
import type { Journal } from './journal.ts';
import { judge, type Shown, type Wrong } from './judge.ts';
import { pacedAt } from './pace.ts';
import type { Span } from './timeline.ts';

export interface ReadCounts {
  /** Answers read and judged. */
  reads: number;
  /** Answers that held somebody who is no contact, or a photo that the user may not see. */
  wrong: number;
  /** Refused because too many plain queries waited (503). */
  refused: number;
  /** Answers that the index narrowed. */
  narrowed: number;
}

export interface ReaderOptions {
  readonly client: Pick<HttpClient, 'get'>;
  readonly journal: Journal;
  readonly random: Random;
  /** Whose list is read next. */
  readonly nextUser: () => Id;
  /** Told of each wrong thing that an answer showed. */
  readonly onWrong: (wrong: Wrong, shown: Shown) => void;
  /** ms, monotonic: the journal's clock. */
  readonly now: () => number;
}

interface ContactRow {
  readonly id: Id;
  readonly last_upload_at: string;
  readonly photos?: readonly { readonly id: Id; readonly uploaded_at: string }[];
}

interface RecentBody {
  readonly contacts: readonly ContactRow[];
  readonly answer: { readonly source: string };
}

/** Of ten questions three ask for the photos as well. */
const PHOTOS = 0.3;

/** Reads the API as a client does and holds every answer against the journal. */
export class Reader {
  readonly counts: ReadCounts = { reads: 0, wrong: 0, refused: 0, narrowed: 0 };
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Until aborted. @param rate questions a second at the most @throws Error when the API answers with an error */
  async run(atOnce: number, rate: number, signal: AbortSignal): Promise<void> {
    const turn = pacedAt(rate);
    const read = async () => {
      while (!signal.aborted) {
        await turn(signal);
        await this.readOnce();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, read));
  }

  async readOnce(): Promise<void> {
    const { client, nextUser, now } = this.#options;
    const user = nextUser();
    const from = now();
    const answer = await client.get(this.#path(user));
    const span = { from, until: now() };
    if (answer.status === 503) this.counts.refused++;
    else this.#judge(user, bodyOf(answer), span);
  }

  #path(user: Id): string {
    const { random } = this.#options;
    const path = `/v1/users/${user}/contacts/recent`;
    if (random() < PHOTOS) return `${path}/photos?contacts=${between(random, 1, 5)}&photos=${between(random, 1, 10)}`;
    return `${path}?limit=${between(random, 1, 25)}`;
  }

  #judge(user: Id, body: RecentBody, span: Span): void {
    const { journal, onWrong } = this.#options;
    let wrong = 0;
    for (const shown of body.contacts.flatMap((row) => shownBy(user, row))) {
      const verdict = judge(journal, shown, span);
      if (verdict === undefined) continue;
      wrong++;
      onWrong(verdict, shown);
    }
    this.counts.reads++;
    if (wrong > 0) this.counts.wrong++;
    if (body.answer.source === 'index') this.counts.narrowed++;
  }
}

function bodyOf({ status, body }: HttpAnswer): RecentBody {
  if (status !== 200) throw new Error(`the API answered with ${status}: ${body.slice(0, 500)}`);
  return JSON.parse(body) as RecentBody;
}

/** Everything that a row of an answer shows. */
function shownBy(user: Id, row: ContactRow): Shown[] {
  const contact = row.id;
  const last: Shown = { user, contact, at: Date.parse(row.last_upload_at) };
  const photos = row.photos ?? [];
  return [last, ...photos.map(({ id, uploaded_at: at }): Shown => ({ user, contact, at: Date.parse(at), photo: id }))];
}
