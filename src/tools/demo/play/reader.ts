import type { Id } from '../../../contracts/id.ts';
import type { HttpAnswer, HttpClient } from '../../harness/http.ts';
import type { Audience } from '../../reference-site/checks.ts';
import { between, type Random } from '../random.ts';
import type { Journal, JournalPhoto, RelationshipState, Span } from './journal.ts';
import { pacedAt } from './writers.ts';

export interface ReadCounts {
  /** Answers read and judged. */
  reads: number;
  /** Answers with a person who is not a contact, or with a photo that the user may not see. */
  wrong: number;
  /** Refused with 503 because the plain-query limit was reached. */
  refused: number;
  narrowed: number;
}

export interface ReaderOptions {
  readonly client: Pick<HttpClient, 'get'>;
  readonly journal: Journal;
  readonly random: Random;
  /** Picks the user to read. */
  readonly nextUser: () => Id;
  /** Called for each wrong item in an answer. */
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

/** Share of the requests that also ask for photos. */
const PHOTOS = 0.3;

/** Reads the API as a client does and checks every answer against the journal. */
export class Reader {
  readonly counts: ReadCounts = { reads: 0, wrong: 0, refused: 0, narrowed: 0 };
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

/** All items that a row of an answer shows. */
function shownBy(user: Id, row: ContactRow): Shown[] {
  const contact = row.id;
  const last: Shown = { user, contact, at: Date.parse(row.last_upload_at) };
  const photos = row.photos ?? [];
  return [last, ...photos.map(({ id, uploaded_at: at }): Shown => ({ user, contact, at: Date.parse(at), photo: id }))];
}

/** An item of an answer: the user was shown this photo of the contact. */
export interface Shown {
  readonly user: Id;
  readonly contact: Id;
  /** Its time, ms since 1970 UTC. */
  readonly at: number;
  /** Undefined if the answer has only the time. */
  readonly photo?: Id;
}

/** What an answer must never contain, not even while tasks are in flight. */
export type Wrong = 'not_a_contact' | 'unseen_photo';

/**
 * Checks that the contact was one at some moment of the span, and that the user could see the photo at some moment of
 * it. During a transaction, both its before and its after are possible.
 * @param span from before the request was sent until the answer had arrived
 * @returns undefined if both hold
 */
export function judge(journal: Journal, shown: Shown, span: Span): Wrong | undefined {
  const { user, contact, at, photo } = shown;
  const states = [...journal.relationshipWithin(user, contact, span)];
  if (!states.some(({ state }) => state.active)) return 'not_a_contact';
  const photos = journal.photosOfTime(contact, at).filter(({ id }) => isSame(photo, id));
  return photos.some((one) => wasVisible(journal, user, one, span)) ? undefined : 'unseen_photo';
}

/** A photo whose upload has not returned may have any id. */
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
