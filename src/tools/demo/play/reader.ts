import type { Id } from '../../../contracts/id.ts';
import type { HttpAnswer, HttpClient } from '../../harness/http.ts';
import type { Audience } from '../../reference-site/checks.ts';
import { between, type Random } from '../random.ts';
import type { Journal, JournalPhoto, RelationshipState, Span } from './journal.ts';
import { pacedAt } from './writers.ts';

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

/** What an answer showed: a photo of the contact's, to the user. */
export interface Shown {
  readonly user: Id;
  readonly contact: Id;
  /** Its time, ms since 1970 UTC. */
  readonly at: number;
  /** Undefined where the answer names only the time. */
  readonly photo?: Id;
}

/** What an answer must never hold, not even while tasks are on their way. */
export type Wrong = 'not_a_contact' | 'unseen_photo';

/**
 * Was the contact one at some moment of the span, and did the user see the photo at some moment of it? A moment within a
 * transaction under way counts as its before and as its after.
 * @param span from before the question was sent until its answer was there
 * @returns undefined: both
 */
export function judge(journal: Journal, shown: Shown, span: Span): Wrong | undefined {
  const { user, contact, at, photo } = shown;
  const states = [...journal.relationshipWithin(user, contact, span)];
  if (!states.some(({ state }) => state.active)) return 'not_a_contact';
  const photos = journal.photosOfTime(contact, at).filter(({ id }) => isSame(photo, id));
  return photos.some((one) => wasVisible(journal, user, one, span)) ? undefined : 'unseen_photo';
}

/** A photo whose upload has not returned may be any that the answer names. */
function isSame(named: Id | undefined, id: Id | undefined): boolean {
  return named === undefined || id === undefined || named === id;
}

function wasVisible(journal: Journal, viewer: Id, photo: JournalPhoto, span: Span): boolean {
  for (const { state: audience, span: existed } of photo.timeline.within(span)) {
    if (audience === 0) return true;
    if (audience === undefined) continue;
    for (const { state } of journal.relationshipWithin(photo.owner, viewer, existed)) {
      if (isGranted(audience, state)) return true;
    }
  }
  return false;
}

function isGranted(audience: Audience, { active, friend, family }: RelationshipState): boolean {
  const circles = [true, friend, family, friend || family, false];
  return audience === 0 || (active && circles[audience] === true);
}
