import type { Id } from '../../../contracts/id.ts';
import { GROUPS, KIND_NAMES, type KindName } from '../../../contracts/kind.ts';
import type { HttpAnswer, HttpClient } from '../../harness/http.ts';
import { between, pick, type Random } from '../random.ts';
import type { Journal } from './journal.ts';
import { judge, type Shown, type Wrong } from './judge.ts';
import type { Span } from './timeline.ts';
import { pacedAt } from './writers.ts';

/** A list of what a user follows: of one kind, or of all of them (`sources`). */
export type ListName = KindName | 'sources';

export const LISTS: readonly ListName[] = [...KIND_NAMES, 'sources'];

export interface ReadCounts {
  /** Answers read and judged. */
  reads: number;
  /** Those of them about groups. */
  of_groups: number;
  /** Those about all kinds in one list. */
  of_both: number;
  /** Answers with somebody who is not a contact, a group that the user is not in, or a photo that the user may not see. */
  wrong: number;
  /** Refused with 503 because the plain-query limit was reached. */
  refused: number;
  narrowed: number;
}

export interface ReaderOptions {
  readonly client: Pick<HttpClient, 'get'>;
  readonly journal: Journal;
  readonly random: Random;
  /** The lists to read, each as often. */
  readonly lists: readonly ListName[];
  /** Picks the user to read. */
  readonly nextUser: () => Id;
  /** Called for each wrong item in an answer. */
  readonly onWrong: (wrong: Wrong, shown: Shown) => void;
  /** ms, monotonic: the journal's clock. */
  readonly now: () => number;
}

interface ShownSource {
  /** In a list of all kinds. */
  readonly kind?: KindName;
  readonly id: Id;
  readonly last_upload_at: string;
  readonly photos?: readonly { readonly id: Id; readonly uploaded_at: string }[];
}

type RecentBody = { readonly [list in ListName]?: readonly ShownSource[] } & {
  readonly answer: { readonly source: string };
};

/** Share of the requests that also ask for photos. */
const PHOTOS = 0.3;

/** Reads the API as a client does and checks every answer against the journal. */
export class Reader {
  readonly counts: ReadCounts = { reads: 0, of_groups: 0, of_both: 0, wrong: 0, refused: 0, narrowed: 0 };
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Runs until aborted. @param rate maximum requests per second @throws Error when the API answers with an error */
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
    const { client, lists, nextUser, now, random } = this.#options;
    const user = nextUser();
    const list = pick(random, lists);
    const from = now();
    const answer = await client.get(this.#path(user, list));
    const span = { from, until: now() };
    if (answer.status === 503) this.counts.refused++;
    else this.#judge(user, list, bodyOf(answer), span);
  }

  #path(user: Id, list: ListName): string {
    const { random } = this.#options;
    const path = `/v1/users/${user}/${list === 'sources' ? '' : `${list}/`}recent`;
    if (random() < PHOTOS) return `${path}/photos?${list}=${between(random, 1, 5)}&photos=${between(random, 1, 10)}`;
    return `${path}?limit=${between(random, 1, 25)}`;
  }

  #judge(user: Id, list: ListName, body: RecentBody, span: Span): void {
    const { journal, onWrong } = this.#options;
    let wrong = 0;
    for (const shown of rowsOf(body, list).flatMap((row) => shownBy(user, list, row))) {
      const verdict = judge(journal, shown, span);
      if (verdict === undefined) continue;
      wrong++;
      onWrong(verdict, shown);
    }
    this.counts.reads++;
    if (list === GROUPS.name) this.counts.of_groups++;
    if (list === 'sources') this.counts.of_both++;
    if (wrong > 0) this.counts.wrong++;
    if (body.answer.source === 'index') this.counts.narrowed++;
  }
}

function bodyOf({ status, body }: HttpAnswer): RecentBody {
  if (status !== 200) throw new Error(`the API answered with ${status}: ${body.slice(0, 500)}`);
  return JSON.parse(body) as RecentBody;
}

/** @throws Error when the answer has no such list */
function rowsOf(body: RecentBody, list: ListName): readonly ShownSource[] {
  const rows = body[list];
  if (rows === undefined) throw new Error(`the API's answer has no ${list}`);
  return rows;
}

/** All items that a row of an answer shows. */
function shownBy(user: Id, list: ListName, row: ShownSource): Shown[] {
  const source = (row.kind ?? list) === GROUPS.name ? { group: row.id } : { contact: row.id };
  const last: Shown = { user, ...source, at: Date.parse(row.last_upload_at) };
  const photos = row.photos ?? [];
  return [
    last,
    ...photos.map(({ id, uploaded_at: at }): Shown => ({ user, ...source, at: Date.parse(at), photo: id })),
  ];
}
