import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { CONTACTS, type Kind } from '../contracts/kind.ts';
import type { RaiseBarrier } from '../index/drain-barrier.ts';
import { drainBarrierOf } from '../index/index-drain-barrier.ts';
import type { Steps } from '../index/protocol.ts';
import { indexedUsers } from '../index/redis/keys.ts';
import { trustedReads } from '../index/trusted-reads.ts';
import type { Database } from '../mysql/database.ts';
import type { Fence } from '../mysql/leases.ts';
import { MeteredDatabase } from '../mysql/metered-database.ts';
import type { RunKind } from '../mysql/runs.ts';
import type { KindDatabase } from '../mysql/statements/kind-statements.ts';
import { type UploadsFrom, uploadsFound } from '../mysql/statements/last-upload.ts';
import { PageCheck } from '../repair/page-check.ts';
import type { PagedRunStores } from '../repair/paged-run.ts';
import { SamplerReports } from '../repair/sampler/report.ts';
import { Sampler } from '../repair/sampler/sampler.ts';
import { Windows } from '../repair/sampler/windows.ts';
import type { CheckedTruth } from '../repair/truth-check.ts';
import { sampleTruth } from '../repair/truth-sample.ts';
import type { IndexedUsers } from '../repair/user-pages.ts';
import { pause } from '../timing/loop.ts';
import type { Transport } from '../transport/transport.ts';
import { driftCounter, samplerMetrics, truthMetrics } from './consumer-metrics.ts';
import { openPrimary } from './open-mysql.ts';
import { inBackground, type ProcessContext, TIMES, type Times, whileLeading } from './run-process.ts';
import { limitsOf } from './shared-sizes.ts';
import { type CommandContext, createLeases, type KindStores, type Stores, withStores } from './stores.ts';
import { openTransport } from './transport.ts';

/** What a long job needs for one kind. */
interface KindJobParts {
  readonly kind: Kind;
  readonly primary: KindDatabase;
  readonly check: PageCheck;
  readonly indexedUsers: IndexedUsers;
  /** With enough time to build the index of a user with very many contacts. */
  readonly steps: Steps;
}

/** What a long job needs: for every kind in use. */
export interface JobParts extends CommandContext {
  readonly kinds: readonly KindJobParts[];
}

/** The parts for contacts. @throws RangeError where contacts are not in use */
export function contactsAmong<P extends { readonly kind: Kind }>({ kinds }: { readonly kinds: readonly P[] }): P {
  const contacts = kinds.find(({ kind }) => kind.name === CONTACTS.name);
  if (contacts === undefined) throw new RangeError('contacts are not in use');
  return contacts;
}

/** It outlasts the deadline of a small statement and a Redis timeout together, after which it is renewed. */
const JOB_LEASE = { ttlMs: 30_000, retryMs: 1_000 };

const now = () => performance.now();

const CLOCKS = { now, clock: Date.now, random: Math.random };

/** Opens what a long job needs, runs it and closes everything. @throws ConfigError, StartError, what the job throws */
export async function withJobParts<T>(
  name: 'verify' | RunKind,
  signal: AbortSignal,
  work: (parts: JobParts) => Promise<T>,
  { settleMs = TIMES.settleMs }: Partial<Times> = {},
): Promise<T> {
  const isMetered = name !== 'verify'; // metering makes every statement more expensive
  const options = { name, isPatient: true, ...(isMetered ? { Database: MeteredDatabase } : {}) };
  return await withStores(options, signal, async (context) => {
    const { config, stores, resources } = context;
    const aloneMs = config.mysqlBuildTimeoutMs;
    // The plain query for a user with very many contacts takes as long as reading them all.
    const { heavy } = stores.primary;
    const answersFrom = resources.adopt(openPrimary(config, { extraMs: aloneMs, heavy }), (opened) => opened.close());
    const barrier = drainBarrier(context);
    return await work({
      ...context,
      kinds: stores.kinds.map((parts) => kindJobParts(context, parts, { answersFrom, barrier, settleMs })),
    });
  });
}

interface JobOpening extends Pick<Times, 'settleMs'> {
  /** Asked for answers, with enough time for a plain query. */
  readonly answersFrom: Database;
  readonly barrier: RaiseBarrier;
}

function kindJobParts(
  { config, stores: { redis }, logger }: CommandContext,
  { kind, primary, index, patient, rechecks, delayed }: KindStores,
  { answersFrom, barrier, settleMs }: JobOpening,
): KindJobParts {
  const aloneMs = config.mysqlBuildTimeoutMs;
  const check = new PageCheck({
    index,
    primary,
    answersFrom: { server: answersFrom, statements: primary.statements },
    limits: limitsOf(config),
    raiseBarrier: drainBarrierOf({ primary, rechecks, delayed }, barrier),
    settleMs,
    ...CLOCKS,
    logger,
    aloneMs,
    truthMs: Math.min(aloneMs, config.mysqlTimeoutMs), // a larger comparison is split rather than run beyond the budget
  });
  return { kind, primary, check, indexedUsers: () => indexedUsers(redis, config.keyPrefix, kind), steps: patient };
}

/** Of the transport, which is contacted only when something looks wrong. */
function drainBarrier(context: CommandContext): RaiseBarrier {
  const transport = openTransport({ ...context, primary: context.stores.primary }, 'jobs');
  let answers: Promise<void> | undefined;
  return async (suspects) => {
    answers ??= transport.untilReady(context.signal).catch((error: unknown) => {
      answers = undefined;
      throw error;
    });
    await answers;
    return await transport.barrier(suspects);
  };
}

/**
 * Runs a job that only one process at a time may run; others wait for their turn.
 * @param onWaiting called when another process runs the job now
 */
export async function whileLeaseHolder<T>(
  { config, stores, signal }: CommandContext,
  kind: RunKind,
  onWaiting: () => void,
  work: (runStores: PagedRunStores, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { primary } = stores;
  return await createLeases(config, stores, JOB_LEASE).hold(
    kind,
    async ({ token, lost }) => {
      const fence: Fence = { lease: kind, token };
      const rowsRead = () => (primary instanceof MeteredDatabase ? primary.rowsRead : 0);
      const runStores = { primary, fence, rowsRead, ...CLOCKS };
      return await work(runStores, AbortSignal.any([signal, lost]));
    },
    { signal, onWaiting },
  );
}

/** Interval at which the sampler polls the drain barrier, ms. It has time, and the stores are busy while it waits. */
const POLL_MS = 500;

interface SamplingParts {
  readonly registry: Registry;
  readonly stores: Stores;
  readonly transport: Transport;
  /** The function that `watchTruth` returned. */
  readonly onTruth: (truth: CheckedTruth, kind: Kind) => void;
  readonly times: Pick<Times, 'settleMs' | 'samplerLease'>;
}

/** Samples consistency, in one consumer at a time. Its failures never end the process. */
export function startSampler(context: ProcessContext, parts: SamplingParts): void {
  const { config, logger } = context;
  const { registry, stores, transport, onTruth, times } = parts;
  const { primary, redis, watch } = stores;
  const { sampleRate: rate } = config;
  if (rate === 0) return;
  const windows = new Windows(now);
  const sampler = new Sampler({
    kinds: stores.kinds.map((stored) => ({
      kind: stored.kind,
      primary: stored.primary,
      index: trustedReads(stored.index, watch),
      raiseBarrier: drainBarrierOf(stored, transport.barrier),
    })),
    limits: limitsOf(config),
    reports: new SamplerReports(redis, config.keyPrefix),
    onCounts: samplerMetrics(registry, windows),
    onDrift: driftCounter(registry),
    settleMs: times.settleMs,
    pollMs: POLL_MS,
    aloneMs: config.mysqlTimeoutMs, // not longer: the users of the same sample wait for it
    ...CLOCKS,
    primary,
    rate,
    windows,
    logger,
    onTruth,
  });
  const work = async (signal: AbortSignal) => {
    logger.info({ rate }, 'sampling');
    await sampler.run(signal);
    windows.clear();
  };
  inBackground(context, (stopping) => {
    const signal = AbortSignal.any([stopping, context.signal]); // it may end before its turn in the shutdown
    return whileLeading(createLeases(config, stores, times.samplerLease), { name: 'sampler', work, logger }, signal);
  });
}

/** Number of pairs that a process compares with the photos when it starts. */
const AT_START = 100;

/** Pauses between attempts to do so, ms. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Minimum time between two log lines about wrong views, ms: every user of a wrong view would cause one. */
const SILENT_MS = 600_000;

const contradicted = ({ view, photosView }: Kind, uploads: UploadsFrom) =>
  `${uploads === 'column' ? 'last_upload_at' : 'the last upload that Recency derived for a pair'} of ${view} is not the newest row of ${photosView} that the user may see: the views, or what they read, are wrong, and so are answers. \`recency verify\` shows more; no repair fixes it`;

/**
 * Compares some pairs of each kind with the photos, in the background, as soon as MySQL answers, and logs an error if the photos contradict
 * the view.
 * @returns reports later findings, to the same metric and to the log, which gets a line about a kind every ten minutes at most
 */
export function watchTruth(
  context: Pick<ProcessContext, 'logger' | 'resources' | 'fail'> & { readonly config: Pick<Config, 'mysqlTimeoutMs'> },
  { registry, kinds }: { readonly registry: Registry; readonly kinds: readonly Pick<KindStores, 'kind' | 'primary'>[] },
): (truth: CheckedTruth, kind: Kind) => void {
  const { config, logger } = context;
  const count = truthMetrics(registry);
  const silentUntil = new Map<Kind, number>();
  const report = ({ counts, wrong }: CheckedTruth, kind: Kind) => {
    count(counts);
    if (counts.wrong === 0 || now() < (silentUntil.get(kind) ?? 0)) return;
    silentUntil.set(kind, now() + SILENT_MS);
    const known = kinds.find((parts) => parts.kind.name === kind.name)?.primary.statements;
    const uploads = known === undefined ? 'column' : uploadsFound(known);
    logger.error({ ...counts, uploads, example: wrong[0] }, contradicted(kind, uploads));
  };
  const check = async ({ kind, primary }: Pick<KindStores, 'kind' | 'primary'>, signal: AbortSignal) => {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const stores = { primary, ...CLOCKS, aloneMs: config.mysqlTimeoutMs };
        return report(await sampleTruth(stores, AT_START, signal), kind);
      } catch (err) {
        if (signal.aborted) return;
        logger.warn({ err, pauseMs }, 'the views could not be compared with the photos yet');
        await pause(pauseMs, signal); // the process ends
      }
    }
  };
  inBackground(context, async (signal) => {
    for (const parts of kinds) await check(parts, signal);
  });
  return report;
}
