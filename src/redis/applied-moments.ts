import { LANES, type Lane } from '../contracts/bulk-task.ts';
import { defineScript, type RedisClient, type Script } from './connection.ts';

/** ms; a lane whose age is not known is left out. */
type LaneAges = Readonly<Partial<Record<Lane, number>>>;

/**
 * The latest moments known to be applied, of each lane, kept in Redis so that a process that starts can show them. A moment stays
 * true whatever happens to that Redis: indexes of a new epoch are built from rows that were read after its beginning. Ages are by
 * Redis's clock, which all processes share, and which may be set back.
 */
export class AppliedMoments {
  readonly #key: string;
  readonly #put: Script;
  readonly #ages: Script;

  constructor(client: RedisClient, prefix: string) {
    this.#key = `${prefix}:applied`;
    this.#put = defineScript(client, 'applied_put', new URL('./lua/applied-put.lua', import.meta.url));
    this.#ages = defineScript(client, 'applied_ages', new URL('./lua/applied-ages.lua', import.meta.url));
  }

  /**
   * A moment that is known already is replaced only by a later one.
   * @param ages asked after Redis's time was read, so that a moment is never kept as a later one than it is
   * @throws RedisUnavailable
   */
  async save(ages: () => LaneAges): Promise<void> {
    const [now] = await this.#ask();
    const moments = Object.entries(ages()).flatMap(([lane, ageMs]) => [lane, (now - ageMs).toFixed(3)]);
    if (moments.length > 0) await this.#put([this.#key], moments);
  }

  /** @throws RedisUnavailable */
  async read(): Promise<LaneAges> {
    const [, ages] = await this.#ask();
    return Object.fromEntries(LANES.flatMap((lane, i) => (ages[i] ? [[lane, Number(ages[i])]] : [])));
  }

  async #ask(): Promise<[number, string[]]> {
    const [now, ...ages] = (await this.#ages([this.#key], LANES)) as string[];
    return [Number(now), ages];
  }
}
