import { z } from 'zod';
import { DRIFT_CLASSES } from '../../contracts/drift.ts';
import { idSchema } from '../../contracts/id.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { WINDOW_NAMES } from './windows.ts';

const count = z.int().nonnegative();

const countsSchema = z.object({ checked: count, wrong: count, visible: count, unsettled: count });

const reportSchema = z.object({
  /** Users a second. */
  rate: z.int().positive(),
  windows: z.record(z.enum(WINDOW_NAMES), countsSchema),
  /** Some of those who were wrong in the longest window, the latest first. */
  wrong_users: z.array(
    z.object({ user: idSchema, classes: z.array(z.enum(DRIFT_CLASSES)).readonly(), visible: z.boolean() }),
  ),
});

/** What the sampler lets other processes see. */
export type SamplerReport = z.infer<typeof reportSchema>;

/** ms that a report is there after it was made: longer means that nobody samples. */
const KEPT_MS = 15_000;

/**
 * The latest report of whoever samples, in Redis. It needs no fence: the report of a holder that is one no more is true as
 * well, and the next one takes its place a second later.
 */
export class SamplerReports {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#key = `${prefix}:sampler`;
  }

  /** @throws RedisUnavailable */
  async write(report: SamplerReport): Promise<void> {
    await reply(this.#client.set(this.#key, JSON.stringify(report), 'PX', KEPT_MS));
  }

  /** The report, and how old it is in ms by the clock of Redis; undefined: nobody samples. @throws RedisUnavailable */
  async read(): Promise<{ report: SamplerReport; ageMs: number } | undefined> {
    const leftMs = await reply(this.#client.pttl(this.#key));
    const text = await reply(this.#client.get(this.#key));
    // One that would be kept for longer was made before the clock of Redis was set back.
    return text === null || leftMs > KEPT_MS
      ? undefined
      : { report: reportSchema.parse(JSON.parse(text)), ageMs: KEPT_MS - leftMs };
  }
}
