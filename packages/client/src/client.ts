import createClient, { type Client } from 'openapi-fetch';
import type { Answer, CallOptions, InitArguments, Method, Operation, Reply, Route, Task } from './api-types.ts';
import { RecencyUnexpectedReply, RecencyUnreachable } from './errors.ts';
import { failureOf } from './failure-of.ts';
import { type Change, type FreshToken, FreshTokens, tokenOf } from './fresh.ts';
import type { Id } from './id.ts';
import type { paths } from './openapi.ts';
import { checkAddress, checkAttempts, checkPath, checkTime, DEFAULTS, type RecencyClientOptions } from './options.ts';
import { retrying } from './retry.ts';
import { readerOf } from './task-row.ts';

export type { CallOptions, Reply, Task } from './api-types.ts';
export * from './errors.ts';
export type { Change, FreshToken } from './fresh.ts';
export type { Id } from './id.ts';
export type { components, operations, paths } from './openapi.ts';
export type { RecencyClientOptions } from './options.ts';

/**
 * Which POST has the same effect when it is repeated, and so is tried again: it only reads, a task is only a hint,
 * a rebuild ends in the same index. Every POST of the API has to be here, or this does not compile.
 */
const REPEATABLE: Readonly<Record<Route<'post'>, boolean>> = {
  '/v1/recent': true,
  '/v1/tasks': true,
  '/v1/dead-letters/discard': false, // a repeated reply would say that there was none
  '/v1/dead-letters/replay': false,
  '/v1/watches': false, // each one makes another watch
  '/v1/watches/{id}/test': false,
  '/v1/users/{user}/index/rebuild': true,
  '/v1/users/{user}/contacts/index/rebuild': true,
  '/v1/users/{user}/groups/index/rebuild': true,
};

/** The routes that answer for one user, and so can be told of that user's own changes; and the one that does for several. */
const OF_A_USER = '/v1/users/{user}/';
const OF_MANY = '/v1/recent';

/** The one success without a body. */
const NO_CONTENT = 204;

/** A call, once its types have done their work. */
interface Call extends CallOptions {
  readonly params?: { readonly path?: Readonly<Record<string, string>>; readonly query?: object };
  readonly body?: unknown;
}

/** openapi-fetch's `request`, without the types that tie a path to its parameters. */
type Send = (
  method: Method,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/**
 * Calls the API. Each method resolves with the answer's `data` and the `response`, and rejects with a RecencyError or the
 * reason of the caller's signal. One for a process is enough: it remembers the changes that its users' reads are to show.
 */
export class RecencyClient {
  readonly #options: RecencyClientOptions & typeof DEFAULTS;
  readonly #api: Client<paths>;
  readonly #fresh: FreshTokens;

  /** @throws InvalidArgument */
  constructor(options: RecencyClientOptions) {
    const { baseUrl, token, fetch } = options;
    this.#options = { ...DEFAULTS, ...options };
    checkAddress(baseUrl);
    checkTime('deadlineMs', this.#options.deadlineMs);
    checkAttempts(this.#options.attempts);
    const keepMs = checkTime('freshMs', this.#options.freshMs);
    this.#fresh = new FreshTokens({ keepMs, now: () => performance.now() });
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    this.#api = createClient<paths>({
      baseUrl,
      redirect: 'manual',
      headers: { Accept: 'application/json', ...authorization },
      ...(fetch === undefined ? {} : { fetch }),
    });
  }

  GET<P extends Route<'get'>>(path: P, ...[init]: InitArguments<Operation<P, 'get'>>) {
    return this.#call<Answer<Operation<P, 'get'>>>('get', path, init as Call | undefined, true);
  }

  PUT<P extends Route<'put'>>(path: P, ...[init]: InitArguments<Operation<P, 'put'>>) {
    return this.#call<Answer<Operation<P, 'put'>>>('put', path, init as Call | undefined, true);
  }

  DELETE<P extends Route<'delete'>>(path: P, ...[init]: InitArguments<Operation<P, 'delete'>>) {
    return this.#call<Answer<Operation<P, 'delete'>>>('delete', path, init as Call | undefined, true);
  }

  /** Tried again only where that has the same effect. The changes of posted tasks are remembered, as by `changed`. */
  async POST<P extends Route<'post'>>(path: P, ...[init]: InitArguments<Operation<P, 'post'>>) {
    const reply = await this.#call<Answer<Operation<P, 'post'>>>(
      'post',
      path,
      init as Call | undefined,
      REPEATABLE[path],
    );
    if (path === '/v1/tasks') this.#remember((init as { body: Task | Task[] }).body);
    return reply;
  }

  /**
   * For a minute (`freshMs`), the user's reads show this change at once, even if its task has not been applied yet. Call it
   * after the commit, with what changed or with the token that the outbox helper returned.
   * @throws InvalidArgument
   */
  changed(user: Id, change: Change | FreshToken): void {
    this.#fresh.add(user, typeof change === 'string' ? change : tokenOf(change));
  }

  /**
   * The changes that the user's next read carries; undefined: none. Where another process makes that read, hand them to it,
   * in a session for instance, and there to `changed`.
   */
  fresh(user: Id): FreshToken | undefined {
    return this.#fresh.header(user);
  }

  #remember(tasks: Task | Task[]): void {
    for (const task of [tasks].flat()) {
      const reader = readerOf(task);
      if (reader !== undefined) this.#fresh.add(reader.user, reader.token);
    }
  }

  async #call<T>(method: Method, path: string, init: Call = {}, mayRepeat: boolean): Promise<Reply<T>> {
    const { params, body, signal, headers } = init;
    checkPath(params?.path);
    const deadlineMs = checkTime('deadlineMs', init.deadlineMs ?? this.#options.deadlineMs);
    const attempts = checkAttempts(init.attempts ?? this.#options.attempts);
    const pairs = this.#pairsFor(method, path, init);
    const carried = pairs === undefined ? {} : { 'Recency-Fresh': pairs };
    // Even without a body: an API without tokens wants it, because pages of other sites cannot send it.
    const type = method === 'post' ? { 'Content-Type': 'application/json' } : {};
    const request = { params, body, headers: { ...type, ...carried, ...headers } };
    return await retrying((signal) => this.#attempt<T>(method, path, { ...request, signal }), {
      attempts: mayRepeat ? attempts : 1,
      deadlineMs,
      signal,
      random: Math.random,
    });
  }

  #pairsFor(method: Method, path: string, { params, body, fresh }: Call): string | undefined {
    if (path === OF_MANY) return this.#fresh.headerOfMany((body as { users: Id[] }).users, fresh);
    const isRead = method === 'get' && path.startsWith(OF_A_USER);
    return isRead ? this.#fresh.header(params?.path?.user, fresh) : undefined;
  }

  async #attempt<T>(method: Method, path: string, init: object): Promise<Reply<T>> {
    const reached: Response[] = [];
    const middleware = [{ onResponse: ({ response }: { response: Response }) => void reached.push(response) }];
    try {
      const { data, error, response } = await (this.#api.request as Send)(method, path, { ...init, middleware });
      if (response.ok && data === undefined && response.status !== NO_CONTENT)
        throw new RecencyUnexpectedReply(response.status, 'it has no body');
      if (response.ok) return { data: data as T, response };
      throw failureOf(response, error);
    } catch (error) {
      const [response] = reached;
      if (error instanceof SyntaxError && response !== undefined) {
        throw new RecencyUnexpectedReply(response.status, `its body is not JSON (${error.message})`);
      }
      throw error instanceof TypeError ? new RecencyUnreachable(this.#options.baseUrl, error) : error;
    }
  }
}
