import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createApp } from '../../src/api/app.ts';
import { Access } from '../../src/api/authorize.ts';
import type { ApiDependencies } from '../../src/api/dependencies.ts';
import { type RunningApi, startApi } from '../../src/api/listen.ts';
import type { IdentifiedTask } from '../../src/api/routes/post-tasks.ts';
import { readYourWrites } from '../../src/app/api-queries.ts';
import { DEGRADING } from '../../src/app/checks.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { Limits } from '../../src/index/contact-index.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { WatchManager } from '../../src/push/watch-manager.ts';
import { buildOn, ColdBuilds } from '../../src/query/cold-builds.ts';
import { explain } from '../../src/query/explain.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import { MarkSeen } from '../../src/query/mark-seen.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RecentContacts } from '../../src/query/recent-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { SourcePhotos } from '../../src/query/source-photos.ts';
import { USUAL_SITE } from '../../src/site/site.ts';
import { closeAtEnd } from './servers.ts';
import { NO_LAG, type Stores } from './stores.ts';
import { streamsOn } from './streams.ts';
import { TRUSTED } from './trust.ts';

/** The lines logged so far. */
type LogLine = Readonly<Record<string, unknown>>;

export interface TestApi extends RunningApi {
  readonly dependencies: ApiDependencies;
  readonly accepted: IdentifiedTask[];
  readonly log: LogLine[];
  readonly low: Id[];
}

type Answers = ApiDependencies['answers'][number];

/** What a test does in another way than the product; answers and indexes are those of contacts. */
type Parts = Partial<ApiDependencies> &
  Partial<Answers> & {
    readonly min?: number;
    readonly max?: number;
    /** Of other kinds. */
    readonly others?: readonly Answers[];
  };

/** The API on real stores and a free port, wired as in the composition root. */
export async function startTestApi(
  stores: Stores,
  { min = 2, max = 24, others = [], ...given }: Parts = {},
): Promise<TestApi> {
  const accepted: IdentifiedTask[] = [];
  const log: LogLine[] = [];
  const low: Id[] = [];
  const { primary } = stores;
  const { contacts, ...parts } = partsOn(stores, { min, max }, low);
  const answers = [{ ...contacts, ...given }, ...others];
  const { relations } = primary.statements.view;
  const site = { ...USUAL_SITE, relations, kinds: answers.map(({ kind }) => kind) };
  const dependencies = { site, answers, ...parts, ...recording(accepted, log), ...settings(), ...given };
  const onError = (error: Error) => {
    throw error;
  };
  const server = await startApi({
    onError,
    app: createApp(dependencies),
    host: '127.0.0.1',
    port: 0,
    tokens: given.access?.tokens ?? [],
  });
  closeAtEnd(async () => {
    await server.close(0);
    for (const builds of parts.coldBuilds) await builds.drain();
  });
  return { ...server, dependencies, accepted, log, low };
}

function partsOn({ index, primary, steps, delayed, redis, prefix }: Stores, limits: Limits, low: Id[]) {
  const now = () => performance.now();
  const build = buildOn({ steps, delayed }, { mysqlTimeoutMs: 5_000 });
  const coldBuilds = new ColdBuilds({
    build: async (user, by) => {
      await build(user, by);
      return 'built';
    },
    concurrency: 2,
    queue: 100,
    onError: (error) => {
      throw error;
    },
  });
  const recentContacts = new RecentContacts({
    index,
    database: primary,
    min: limits.min,
    max: limits.max,
    coldAnswers: (user, deadline) => coldBuilds.answer(user, deadline),
    onCold: (user) => coldBuilds.request(user),
    onLow: (user) => void low.push(user),
    touch: true,
    now,
    ...NO_LAG,
  });
  const sourcePhotos = new SourcePhotos({ database: primary, now });
  const recentPhotos = new RecentPhotos({ recent: recentContacts, database: primary, now });
  const recentBatch = new RecentBatch({ index, database: primary, recent: recentContacts, now, ...NO_LAG });
  return {
    contacts: {
      kind: primary.statements.kind,
      ...{ recentContacts, recentPhotos, recentBatch, sourcePhotos },
      explain: (user: Id, contact: Id) =>
        explain({ index, database: primary, recent: recentContacts, limits }, user, contact),
      inspect: (user: Id) => inspectIndex({ index, database: primary, steps }, user),
      rebuild: (user: Id) => run(rebuild([user], true), steps),
    },
    plainQueries: primary.heavy,
    coldBuilds: [coldBuilds],
    ...readYourWrites({
      kinds: [{ kind: primary.statements.kind, steps }],
      primary,
      watch: TRUSTED,
      onFault: () => undefined,
    }),
    watches: new WatchManager({
      database: primary,
      watched: new WatchedUsers(redis, prefix),
      onFault: (error) => {
        throw error;
      },
      clock: Date.now,
    }),
    seen: new MarkSeen({ database: primary }),
    streams: streamsOn({ index, primary }),
    forget: (user: Id) => steps.forget([user]),
    fanOuts: () => new FanOutProgress(redis, prefix).list(Date.now()),
  };
}

function recording(accepted: IdentifiedTask[], log: LogLine[]) {
  const write = (line: string) => void log.push(JSON.parse(line));
  return {
    accept: async (tasks: readonly IdentifiedTask[]) => void accepted.push(...tasks),
    logger: pino({ level: 'info' }, { write }),
  };
}

const NO_LETTERS: ApiDependencies['deadLetters'] = {
  list: async () => [],
  get: async () => undefined,
  replay: async (ids) => ({ replayed: 0, missing: ids }),
  discard: async (which) => ({ discarded: [], missing: 'type' in which ? [] : which }),
};

function settings() {
  return {
    access: new Access([]),
    deadLetters: NO_LETTERS,
    checks: {},
    degrading: DEGRADING,
    reports: {},
    checkDeadlineMs: 1_000,
    isAnswering: () => true,
    hasStarted: () => true,
    allowPrivateWebhooks: true,
    rateLimit: 0,
    registry: new Registry(),
    slowMs: 60_000,
    deadlineMs: 60_000,
    version: '1.2.3',
    now: () => performance.now(),
    freshId: () => randomUUID(),
  };
}

/** Sends one request. A JSON body is returned parsed. */
export async function ask({ url }: { readonly url: string }, path: string, init?: RequestInit) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false);
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export function post(api: { readonly url: string }, path: string, body: unknown, headers: Record<string, string> = {}) {
  return ask(api, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
