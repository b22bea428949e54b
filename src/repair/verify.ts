import { type Id, isId } from '../contracts/id.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { Database } from '../mysql/database.ts';
import { compareColumns, hasLastUploadColumns, readUsers } from '../mysql/reference-views.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type UploadsFrom, uploadsFrom } from '../mysql/statements/last-upload.ts';
import { RateLimiter } from '../timing/limiter.ts';
import { addCounts, withTruth } from './counts.ts';
import { Examples, type FoundWrong, NOTHING_VERIFIED, type VerifyCounts, type VerifyResult } from './examples.ts';
import { FailedUsers } from './failed-users.ts';
import type { Job, JobProgress } from './job.ts';
import type { PageCheck } from './page-check.ts';
import {
  chosenKinds,
  InvalidJob,
  isContactsAlone,
  type KindOf,
  type OfKinds,
  parseRunParameters,
  type RunParameters,
  type RunParametersInput,
} from './run-parameters.ts';
import {
  createUserPages,
  estimateUsers,
  type IndexedUsers,
  ListPages,
  PAGE_SIZE,
  type UserPages,
} from './user-pages.ts';

/** What checks the indexes of one kind. */
export interface VerifyParts {
  readonly primary: KindDatabase;
  readonly check: PageCheck;
  /** Given: orphaned indexes are verified as well. */
  readonly indexedUsers?: IndexedUsers;
}

export type VerifyStores = VerifySources & OfKinds<VerifyParts>;

interface VerifySources {
  readonly primary: Database;
  /** ms, monotonic. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Maximum users in a page (PAGE_SIZE). */
  readonly pageSize?: number;
}

/** One user, thoroughly; or a sample, a range, or everybody. */
export type VerifyRequest =
  | { readonly user: Id; readonly kinds?: readonly string[] | undefined }
  | (Omit<RunParametersInput, 'dryRun'> & { readonly user?: undefined });

/** Users whose columns are compared at a time. */
const COLUMNS_PAGE = 1_000;

/**
 * Compares indexes and answers with plain SQL, of one kind after the other; and the last uploads that plain SQL gives, and
 * the columns of the reference schema, with the photos. Changes nothing and saves nothing.
 */
export class Verify implements Job {
  readonly #stores: VerifyStores;
  readonly #kinds: readonly KindOf<VerifyParts>[];
  readonly #user: Id | undefined;
  readonly #parameters: RunParameters;
  readonly #rateLimiter: RateLimiter;
  readonly #startedAt: number;
  readonly #examples = new Examples();
  readonly #failed: FailedUsers;
  readonly #uploads = new Map<string, UploadsFrom>();
  /** The number of kinds that are done. */
  #kindsDone = 0;
  /** Of the kind that is being verified. */
  #pages: UserPages | undefined;
  /** Estimated number of users of the kinds that come after it. */
  #usersLater = 0;
  /** The columns are compared next after this user; undefined: none are left, or the site has tables of its own. */
  #columnsAfter: Id | '0' | undefined;
  readonly #counts: Map<Kind, VerifyCounts>;

  /** @throws InvalidJob */
  constructor(stores: VerifyStores, request: VerifyRequest) {
    const { user, ...parameters } = request;
    if (user !== undefined && !isId(user)) throw new InvalidJob(`user: '${user}' is not an id`);
    this.#stores = stores;
    this.#user = user;
    this.#parameters = parseRunParameters(parameters);
    this.#kinds = chosenKinds(stores.kinds, this.#parameters.kinds);
    this.#counts = new Map(this.#kinds.map(({ kind }) => [kind, NOTHING_VERIFIED]));
    this.#failed = new FailedUsers(stores.primary, stores.kinds);
    this.#rateLimiter = new RateLimiter(this.#parameters.rate, stores.now);
    this.#startedAt = stores.now();
  }

  /** @throws DatabaseUnavailable */
  async start(): Promise<void> {
    await this.#openPages(0);
    const areContactsIn = this.#kinds.some(({ kind }) => kind.name === CONTACTS.name); // the columns are theirs
    if (areContactsIn && (await hasLastUploadColumns(this.#stores.primary))) this.#columnsAfter = '0';
  }

  /** @throws RedisUnavailable, DatabaseUnavailable, the signal's reason */
  async runOnce(signal?: AbortSignal): Promise<VerifyCounts | undefined> {
    const users = await this.#nextUsers(signal);
    const parts = this.#kinds[this.#kindsDone];
    if (users === undefined || parts === undefined) return await this.#checkNextColumns();
    await this.#rateLimiter.spend(users.length, signal);
    const kind = this.#isOfContactsAlone() ? undefined : parts.kind.name;
    const check = (some: readonly Id[]) => this.#checkUsers(parts, some, signal);
    const { done, failures } = await this.#failed.workOn(users, check, { signal, kind });
    const failed = failures.length;
    const page = done.reduce((all, { counts }) => addCounts(all, counts), {
      ...NOTHING_VERIFIED,
      users: failed,
      failed,
    });
    for (const { found } of done) this.#examples.add(found, kind); // not before the page is done: after an error it comes again
    this.#count(parts.kind, page);
    this.#pages?.done();
    return page;
  }

  progress(): JobProgress {
    const { users } = this.#sum();
    const here = this.#kinds[this.#kindsDone];
    const done = here === undefined ? 0 : (this.#counts.get(here.kind)?.users ?? 0);
    return { run: undefined, done: users, total: users - done + (this.#pages?.total(done) ?? done) + this.#usersLater };
  }

  /** Of the pages that are done. */
  get result(): VerifyResult {
    const seconds = Math.round(this.#stores.now() - this.#startedAt) / 1000;
    const kinds = Object.fromEntries([...this.#counts].map(([{ name }, counts]) => [name, counts]));
    return {
      ...this.#sum(),
      seconds,
      ...(this.#isOfContactsAlone() ? {} : { kinds }),
      last_uploads: Object.fromEntries(this.#uploads),
      failed_users: this.#failed.named,
      ...this.#examples.shown(),
    };
  }

  #sum(): VerifyCounts {
    return [...this.#counts.values()].reduce(addCounts, NOTHING_VERIFIED);
  }

  #count(kind: Kind, page: VerifyCounts): void {
    this.#counts.set(kind, addCounts(this.#counts.get(kind) ?? NOTHING_VERIFIED, page));
  }

  /** The next page; when none is left of a kind, the first of the next one. */
  async #nextUsers(signal?: AbortSignal): Promise<readonly Id[] | undefined> {
    if (this.#pages === undefined) throw new Error('verify must be started first');
    for (;;) {
      const users = await this.#pages.next(signal);
      if (users !== undefined || this.#kindsDone >= this.#kinds.length - 1) return users;
      await this.#openPages(this.#kindsDone + 1);
    }
  }

  /** @param kindsDone how many are done */
  async #openPages(kindsDone: number): Promise<void> {
    const { random, pageSize = PAGE_SIZE } = this.#stores;
    const [parts, ...later] = this.#kinds.slice(kindsDone);
    if (parts === undefined) throw new Error('no kind is in use');
    const { kind, primary, indexedUsers } = parts;
    this.#uploads.set(kind.name, await uploadsFrom(primary));
    const stores = { primary, random, pageSize, rateLimiter: this.#rateLimiter, indexedUsers };
    const one = this.#user;
    const estimate = (of: KindOf<VerifyParts>) => (one ? 1 : estimateUsers(of.primary, this.#parameters));
    const estimates = await Promise.all(later.map(estimate));
    this.#pages = one ? new ListPages([one], 1) : await createUserPages(stores, this.#parameters);
    this.#usersLater = estimates.reduce((sum, users) => sum + users, 0);
    this.#kindsDone = kindsDone; // not before they are open: after an error this kind comes again
  }

  #isOfContactsAlone(): boolean {
    return isContactsAlone(this.#kinds.map(({ kind }) => kind.name));
  }

  async #checkUsers(
    { kind, check, primary }: KindOf<VerifyParts>,
    users: readonly Id[],
    signal?: AbortSignal,
  ): Promise<{ counts: VerifyCounts; found: FoundWrong }> {
    const indexes = await check.indexes(users, signal);
    const answers = await check.answers(users, this.#user !== undefined, signal);
    // Everybody's come at the end.
    const hasColumns = kind.name === CONTACTS.name && this.#columnsAfter !== undefined && !this.#isEverybody();
    const columns = hasColumns ? await compareColumns(primary.server, users) : { users: [], wrong: [] };
    const counts = {
      ...withTruth(indexes.counts, answers.truth),
      ...answers.counts,
      columns: { users: columns.users.length, wrong: columns.wrong.length },
      odd_rows: answers.oddRows,
      failed: 0,
    };
    const { drifted } = indexes;
    return { counts, found: { drifted, answers: answers.wrong, columns: columns.wrong, pairs: answers.truth.wrong } };
  }

  /** The columns of all users, including those without contacts. They are the site's own, so repair leaves them alone. */
  async #checkNextColumns(): Promise<VerifyCounts | undefined> {
    if (!this.#isEverybody() || this.#columnsAfter === undefined) return undefined;
    const { primary } = this.#stores;
    const users = await readUsers(primary, this.#columnsAfter, COLUMNS_PAGE);
    const compared = await compareColumns(primary, users);
    this.#columnsAfter = users.length < COLUMNS_PAGE ? undefined : users.at(-1);
    this.#examples.add({ columns: compared.wrong });
    const page = { ...NOTHING_VERIFIED, columns: { users: compared.users.length, wrong: compared.wrong.length } };
    for (const { kind } of this.#kinds) if (kind.name === CONTACTS.name) this.#count(kind, page);
    return page;
  }

  #isEverybody(): boolean {
    const { from, to, sample } = this.#parameters;
    return this.#user === undefined && from === undefined && to === undefined && sample === undefined;
  }
}
