import type { RelationChange } from '../contracts/fresh.ts';
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import { run, type Steps } from '../index/protocol.ts';
import { addHint, type Hint, isBehind, PAIRS_A_CALL, type RefreshReport, refresh } from '../index/refresh.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { chunks } from '../timing/batches.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { inSpan } from '../tracing/tracing.ts';
import { Stopwatch } from './stopwatch.ts';

/** What the refreshes of one kind need. */
export interface RefreshedKind {
  readonly kind: Kind;
  readonly steps: Steps;
}

/**
 * Whose indexes are refreshed where both ends of a relation are users: that of the user who has it, for a read; or both, because
 * what the user grants decides what the other one sees, in place of the change's task. Then both are signalled, too.
 */
type Sides = 'own' | 'both';

interface RefreshNowOptions {
  readonly kinds: readonly RefreshedKind[];
  /** Says whether this Redis is the one on record. An index elsewhere is not worth a refresh. */
  readonly watch: Pick<RedisTrust, 'isTrusted' | 'during'>;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** The outcome for changes that were refreshed at once. */
interface RefreshedNow {
  /** Users with a row that is older than its version: the change is not committed yet. What MySQL says now was applied. */
  readonly behind: ReadonlySet<Id>;
  /** Users whose indexes kept changing, so that nothing was written; the refresh waits in the delay queue. */
  readonly unsettled: ReadonlySet<Id>;
}

/**
 * Refreshes named relations while somebody waits. It is the refresh that a task comes to (index/refresh.ts), with two
 * differences: it ends at the request's deadline, and a rebuild that it finds due is left to the delay queue, because the
 * index is right without it, only shorter.
 */
export class RefreshNow {
  readonly #options: RefreshNowOptions;

  constructor(options: RefreshNowOptions) {
    this.#options = options;
  }

  /** The kinds' names for one of what they follow. */
  get kinds(): readonly string[] {
    return this.#options.kinds.map(({ kind }) => kind.singular);
  }

  /**
   * @param by `clock`: the time spent is added to it
   * @throws RedisUnavailable; DatabaseNotPrimary, DatabaseUnavailable, DeadlineExceeded, RequestCancelled
   */
  async refresh(
    changes: readonly RelationChange[],
    sides: Sides,
    { deadline, clock = new Stopwatch(this.#options.now) }: { deadline?: Deadline | undefined; clock?: Stopwatch } = {},
  ): Promise<RefreshedNow> {
    const { watch } = this.#options;
    if (!watch.isTrusted()) throw new RedisUnavailable('Redis has not been compared with those known');
    const work = () => watch.during(() => this.#refresh(changes, sides, deadline, clock));
    const reports = await inSpan('recency.refresh', () => withinDeadline(deadline, work()));
    return {
      behind: usersOf(reports.flatMap((report) => report.behind)),
      unsettled: usersOf(reports.flatMap(({ unsettled, failed }) => [...unsettled, ...failed.map(({ item }) => item)])),
    };
  }

  async #refresh(
    changes: readonly RelationChange[],
    sides: Sides,
    deadline: Deadline | undefined,
    clock: Stopwatch,
  ): Promise<RefreshReport[]> {
    const ofKinds = this.#hintsOf(changes, sides).map(async ({ steps, hints }) => {
      const within = stepsWithin(sides === 'both' ? steps : { ...steps, signal: NOTHING }, deadline, clock);
      const reports: RefreshReport[] = [];
      for (const some of chunks(hints, PAIRS_A_CALL)) {
        reports.push(await run(refresh(some), within, renewedUntil(deadline)));
      }
      return reports;
    });
    return (await Promise.all(ofKinds)).flat();
  }

  /** Users of whom MySQL has a row that is older than its version. For when no index can be refreshed. @throws as `refresh` */
  async behind(changes: readonly RelationChange[], deadline?: Deadline): Promise<ReadonlySet<Id>> {
    const versioned = changes.filter(({ version }) => version !== undefined);
    const ofKinds = this.#hintsOf(versioned, 'own').map(async ({ steps, hints }) => {
      const read = chunks(hints, PAIRS_A_CALL).map(async (some) => (await steps.pairs(some, { deadline })).rows);
      const rows = new Map((await Promise.all(read)).flat().map((row) => [`${row.user} ${row.contact}`, row]));
      return hints.filter((hint) => isBehind(hint, rows.get(`${hint.user} ${hint.contact}`)));
    });
    return usersOf((await Promise.all(ofKinds)).flat());
  }

  #hintsOf(changes: readonly RelationChange[], sides: Sides): { steps: Steps; hints: Hint[] }[] {
    const unknown = changes.find(({ kind }) => !this.kinds.includes(kind));
    if (unknown !== undefined) throw new RangeError(`there are no indexes of the kind ${unknown.kind}`);
    const ofKinds = this.#options.kinds.map(({ kind, steps }) => {
      const hints = new Map<string, Hint>();
      const own = changes.filter((change) => change.kind === kind.singular);
      for (const hint of own.flatMap((change) => hintsOf(change, sides === 'both' && kind.areUsers)))
        addHint(hints, hint);
      return { steps, hints: [...hints.values()] };
    });
    return ofKinds.filter(({ hints }) => hints.length > 0);
  }
}

/** The version is that of the user's own row. */
function hintsOf({ user, id: contact, version }: RelationChange, isOfBoth: boolean): Hint[] {
  const own: Hint = version === undefined ? { user, contact } : { user, contact, version };
  return isOfBoth && contact !== user ? [own, { user: contact, contact: user }] : [own];
}

function usersOf(pairs: readonly { readonly user: Id }[]): ReadonlySet<Id> {
  return new Set(pairs.map(({ user }) => user));
}

const NOT_READ = async () => ({ epoch: '', tops: [] });

/** After a read the task of the change is still to come, and signals. */
const NOTHING = async () => undefined;

/** The same steps for a request. Without the rows of a rebuild, the protocol counts it as slow and puts it off. */
function stepsWithin(steps: Steps, deadline: Deadline | undefined, clock: Stopwatch): Steps {
  return {
    ...steps,
    nonces: (users) => clock.time('index', () => steps.nonces(users), 'recency.refresh.nonces'),
    pairs: (pairs) => clock.time('db', () => steps.pairs(pairs, { deadline }), 'recency.refresh.rows'),
    apply: (epoch, requests) => clock.time('index', () => steps.apply(epoch, requests), 'recency.refresh.apply'),
    topContacts: NOT_READ,
  };
}

function renewedUntil(deadline: Deadline | undefined) {
  return { renew: async () => deadline?.check() };
}
