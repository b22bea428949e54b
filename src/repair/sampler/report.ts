import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { z } from 'zod';
import { DRIFT_CLASSES } from '../../contracts/drift.ts';
import { type Id, idSchema } from '../../contracts/id.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { WINDOW_NAMES } from './windows.ts';

const wrongUserSchema = z.object({
  user: idSchema,
  /** The name of the kind; left out: the sampler is about contacts alone. */
  kind: z.string().optional(),
  /** None: only answers are wrong. */
  classes: z.array(z.enum(DRIFT_CLASSES)).readonly(),
  /** A client would have noticed. */
  visible: z.boolean(),
});

/** A user whose index or answers are confirmed to be wrong. */
export type WrongUser = Readonly<z.infer<typeof wrongUserSchema>>;

const count = z.int().nonnegative();

const reportSchema = z.object({
  /** Users a second. */
  rate: z.int().positive(),
  windows: z.record(z.enum(WINDOW_NAMES), z.object({ checked: count, wrong: count, visible: count, unsettled: count })),
  /** Some of those who were wrong in the longest window, latest first. */
  wrong_users: z.array(wrongUserSchema),
});

/** What other processes can see of the sampler. */
export type SamplerReport = z.infer<typeof reportSchema>;

/** ms that a report is kept. If there is none, nobody samples. */
export const KEPT_MS = 15_000;

/**
 * The latest report, in Redis. It needs no fence: the report of a sampler that has lost its lease is true as well, and the
 * next one replaces it a second later.
 */
export class SamplerReports {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #keptMs: number;

  constructor(client: RedisClient, prefix: string, keptMs = KEPT_MS) {
    this.#client = client;
    this.#key = `${prefix}:sampler`;
    this.#keptMs = keptMs;
  }

  /** @throws RedisUnavailable */
  async write(report: SamplerReport): Promise<void> {
    await reply(this.#client.set(this.#key, JSON.stringify(report), 'PX', this.#keptMs));
  }

  /** The report and its age in ms by the clock of Redis; undefined: nobody samples. @throws RedisUnavailable */
  async read(): Promise<{ report: SamplerReport; ageMs: number } | undefined> {
    const leftMs = await reply(this.#client.pttl(this.#key));
    const text = await reply(this.#client.get(this.#key));
    // A report that would be kept for longer was made before the clock of Redis was set back.
    if (text === null || leftMs > this.#keptMs) return undefined;
    return { report: reportSchema.parse(JSON.parse(text)), ageMs: this.#keptMs - leftMs };
  }
}

/** Maximum wrong users remembered; those who were found longest ago are forgotten. */
const MAX_KNOWN = 1_000;

/** Users who were found wrong, and not right since. Each is logged once, and again if it is wrong in another way. */
export class WrongUsers {
  readonly #logger: Logger;
  readonly #now: () => number;
  /** With the time of the last finding, by `now`. */
  readonly #known = new LRUCache<string, { readonly found: WrongUser; readonly at: number }>({ max: MAX_KNOWN });

  /** @param now ms, monotonic */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  add(wrong: readonly WrongUser[]): void {
    for (const found of wrong) {
      const before = this.#known.get(keyOf(found));
      if (before === undefined || !isSame(before.found, found)) this.#log(found);
      this.#known.set(keyOf(found), { found, at: this.#now() });
    }
  }

  /** Call when the user is found right. */
  forget(user: Id, kind?: string): void {
    this.#known.delete(keyOf({ user, kind }));
  }

  /** At most `count` of those found within the last `withinMs`, latest first. */
  latest(withinMs: number, count: number): WrongUser[] {
    const since = this.#now() - withinMs;
    return [...this.#known.values()]
      .filter(({ at }) => at >= since)
      .slice(0, count)
      .map(({ found }) => found);
  }

  #log({ user, kind, classes, visible }: WrongUser): void {
    const what = visible ? 'a user gets wrong answers' : "a user's index is wrong; no client would notice";
    const about = { user, ...(kind === undefined ? {} : { kind }), classes, visible };
    this.#logger.error(about, `${what}: \`recency verify --user\` shows it, \`repair\` fixes it`);
  }
}

function keyOf({ user, kind = '' }: Pick<WrongUser, 'user' | 'kind'>): string {
  return `${kind} ${user}`;
}

function isSame(a: WrongUser, b: WrongUser): boolean {
  return a.visible === b.visible && a.classes.toSorted().join() === b.classes.toSorted().join();
}
