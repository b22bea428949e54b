import type { RelationChange } from '../contracts/fresh.ts';
import type { Id } from '../contracts/id.ts';
import type { Kind } from '../contracts/kind.ts';
import { run, type Steps } from '../index/protocol.ts';
import { addHint, type Hint, isBehind, refresh } from '../index/refresh.ts';
import { RedisUnavailable } from '../redis/unavailable.ts';
import { type Deadline, withinDeadline } from '../timing/deadline.ts';
import { Stopwatch } from './stopwatch.ts';

/** What the refreshes of one kind need. */
export interface RefreshedKind {
  readonly kind: Kind;
  readonly steps: Steps;
}

export interface RefreshNowOptions {
  readonly kinds: readonly RefreshedKind[];
  /** Is this Redis the one on record? An index that is not trusted is not worth a refresh. */
  readonly isTrusted: () => boolean;
  /** Monotonic clock, ms. */
  readonly now: () => number;
}

/** The outcome for changes that were refreshed at once. */
export interface RefreshedNow {
  /** A row is older than its version: the change is not committed yet. What MySQL says now was applied. */
  readonly isBehind: boolean;
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
   * @param clock the time spent is added to it
   * @throws RedisUnavailable; DatabaseNotPrimary, DatabaseUnavailable, DeadlineExceeded, RequestCancelled
   */
  async refresh(
    changes: readonly RelationChange[],
    deadline?: Deadline,
    clock: Stopwatch = new Stopwatch(this.#options.now),
  ): Promise<RefreshedNow> {
    if (!this.#options.isTrusted()) throw new RedisUnavailable('Redis has not been compared with those known');
    const ofKinds = this.#hintsOf(changes).map(async ({ steps, hints }) => {
      const running = run(refresh(hints), stepsWithin(steps, deadline, clock), renewedUntil(deadline));
      return await withinDeadline(deadline, running);
    });
    const reports = await Promise.all(ofKinds);
    return {
      isBehind: reports.some(({ behind }) => behind.length > 0),
      unsettled: new Set(reports.flatMap(({ unsettled }) => unsettled.map(({ user }) => user))),
    };
  }

  /** Whether MySQL has a row that is older than its version. For when no index can be refreshed. @throws as `refresh` */
  async areBehind(changes: readonly RelationChange[], deadline?: Deadline): Promise<boolean> {
    const versioned = changes.filter(({ version }) => version !== undefined);
    const ofKinds = this.#hintsOf(versioned).map(async ({ steps, hints }) => {
      const { rows } = await steps.pairs(hints, { deadline });
      return hints.some((hint) =>
        isBehind(
          hint,
          rows.find(({ user, contact }) => user === hint.user && contact === hint.contact),
        ),
      );
    });
    return (await Promise.all(ofKinds)).includes(true);
  }

  #hintsOf(changes: readonly RelationChange[]): { steps: Steps; hints: Hint[] }[] {
    const unknown = changes.find(({ kind }) => !this.kinds.includes(kind));
    if (unknown !== undefined) throw new RangeError(`there are no indexes of the kind ${unknown.kind}`);
    const ofKinds = this.#options.kinds.map(({ kind, steps }) => {
      const hints = new Map<string, Hint>();
      const own = changes.filter((change) => change.kind === kind.singular);
      for (const hint of own.flatMap((change) => sidesOf(change, kind))) addHint(hints, hint);
      return { steps, hints: [...hints.values()] };
    });
    return ofKinds.filter(({ hints }) => hints.length > 0);
  }
}

/** Of two users both sides, because what the user grants decides what the other one sees. The version is that of the user's own row. */
function sidesOf({ user, id: contact, version }: RelationChange, { areUsers }: Kind): Hint[] {
  const own: Hint = version === undefined ? { user, contact } : { user, contact, version };
  return areUsers && contact !== user ? [own, { user: contact, contact: user }] : [own];
}

const NOT_READ = async () => ({ epoch: '', tops: [] });

/** The same steps for a request. Without the rows of a rebuild, the protocol counts it as slow and puts it off. */
function stepsWithin(steps: Steps, deadline: Deadline | undefined, clock: Stopwatch): Steps {
  return {
    ...steps,
    nonces: (users) => clock.time('index', () => steps.nonces(users)),
    pairs: (pairs) => clock.time('db', () => steps.pairs(pairs, { deadline })),
    apply: (epoch, requests) => clock.time('index', () => steps.apply(epoch, requests)),
    topContacts: NOT_READ,
  };
}

function renewedUntil(deadline: Deadline | undefined) {
  return { renew: async () => deadline?.check() };
}
