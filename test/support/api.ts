import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import type { ApiDependencies } from '../../src/api/dependencies.ts';
import { type RunningApi, startApi } from '../../src/api/listen.ts';
import type { IdentifiedTask } from '../../src/api/routes/post-tasks.ts';
import { buildOn } from '../../src/app/build-on.ts';
import { DEGRADING } from '../../src/app/checks.ts';
import { promptOn } from '../../src/app/prompt.ts';
import type { Id } from '../../src/contracts/id.ts';
import { CONTACTS } from '../../src/contracts/kind.ts';
import type { Limits } from '../../src/index/contact-index.ts';
import { run } from '../../src/index/protocol.ts';
import { rebuild } from '../../src/index/rebuild.ts';
import { FanOutProgress } from '../../src/index/redis/fan-out-progress.ts';
import { WatchedUsers } from '../../src/index/redis/watched-users.ts';
import { WatchManager } from '../../src/push/watch-manager.ts';
import { ColdBuilds } from '../../src/query/cold-builds.ts';
import { explain } from '../../src/query/explain.ts';
import { inspectIndex } from '../../src/query/inspect-index.ts';
import { MarkSeen } from '../../src/query/mark-seen.ts';
import { RecentBatch } from '../../src/query/recent-batch.ts';
import { RecentContacts } from '../../src/query/recent-contacts.ts';
import { RecentPhotos } from '../../src/query/recent-photos.ts';
import { SourcePhotos } from '../../src/query/source-photos.ts';
import type { Stores } from './stores.ts';
import { streamsOn } from './streams.ts';

/** The lines logged so far. */
type LogLine = Readonly<Record<string, unknown>>;

export interface TestApi extends RunningApi {
  readonly dependencies: ApiDependencies;
  readonly accepted: IdentifiedTask[];
  readonly log: LogLine[];
  readonly low: Id[];
}

type Parts = Partial<ApiDependencies> & { readonly min?: number; readonly max?: number };

/** The API on real stores and a free port, wired as in the composition root. */
export async function startTestApi(stores: Stores, { min = 2, max = 24, ...given }: Parts = {}): Promise<TestApi> {
  const accepted: IdentifiedTask[] = [];
  const log: LogLine[] = [];
  const low: Id[] = [];
  const parts = partsOn(stores, { min, max }, low);
  const dependencies = { ...parts, ...recording(accepted, log), ...settings(), ...given };
  const onError = (error: Error) => {
    throw error;
  };
  const server = await startApi({
    onError,
    app: createApp(dependencies),
    host: '127.0.0.1',
    port: 0,
    tokens: given.tokens ?? [],
  });
  afterAll(async () => {
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
  });
  const sourcePhotos = new SourcePhotos({ database: primary, now });
  const recentPhotos = new RecentPhotos({ recent: recentContacts, database: primary, now });
  const recentBatch = new RecentBatch({ index, database: primary, recent: recentContacts, now });
  return {
    recentBatch,
    plainQueries: primary.heavy,
    coldBuilds: [coldBuilds],
    recentContacts,
    recentPhotos,
    sourcePhotos,
    otherAnswers: [],
    ...promptOn({
      kinds: [{ kind: CONTACTS, steps }],
      primary,
      isTrusted: () => true,
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
    seen: new MarkSeen({ database: primary, clock: Date.now }),
    streams: streamsOn({ index, primary }),
    explain: (user: Id, contact: Id) =>
      explain({ index, database: primary, recent: recentContacts, limits }, user, contact),
    inspect: (user: Id) => inspectIndex({ index, database: primary }, user),
    rebuild: (user: Id) => run(rebuild([user], true), steps),
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

function settings() {
  return {
    kinds: [CONTACTS],
    tokens: [],
    checks: {},
    degrading: DEGRADING,
    reports: {},
    checkDeadlineMs: 1_000,
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
