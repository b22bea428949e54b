import type { KindStores } from '../../../app/stores.ts';
import type { Id } from '../../../contracts/id.ts';
import type { Steps } from '../../../index/protocol.ts';
import type { PairRow } from '../../../mysql/statements/pairs.ts';
import { workBothLanes } from '../../harness/both-lanes.ts';
import type { Acknowledger, FanOutVariant, Part, Upload } from './variant.ts';

/** Recency's own worker, as a consumer runs it. */
export class RecencyVariant implements FanOutVariant {
  readonly name = 'recency';
  /** It trusts no task. */
  readonly parts = ['redis', 'total'] as const;
  readonly #stores: Pick<KindStores, 'steps' | 'index'>;
  readonly #followers: readonly Id[];
  readonly #places: ReadonlyMap<Id, number>;
  readonly #epoch: string;
  readonly #acknowledger: Acknowledger;
  #rows: readonly PairRow[] = [];

  constructor(
    stores: Pick<KindStores, 'steps' | 'index'>,
    followers: readonly Id[],
    epoch: string,
    acknowledger: Acknowledger,
  ) {
    this.#stores = stores;
    this.#followers = followers;
    this.#places = new Map(followers.map((user, position) => [user, position]));
    this.#epoch = epoch;
    this.#acknowledger = acknowledger;
  }

  async prepare({ owner, at }: Upload): Promise<void> {
    const row = { contact: owner, related: true, lastUploadAt: at, version: '1' };
    this.#rows = this.#followers.map((user) => ({ user, ...row }));
    await this.#acknowledger.deliver();
  }

  async fanOut({ owner, at }: Upload, part: Part): Promise<void> {
    const { steps } = this.#stores;
    const task = { type: 'recency.photo.uploaded', owner, at } as const;
    await workBothLanes([task], part === 'redis' ? this.#knowing(steps) : steps);
    if (part !== 'redis') await this.#acknowledger.acknowledge();
  }

  async tidy(): Promise<void> {}

  async members(user: Id): Promise<Id[]> {
    const reading = await this.#stores.index.read(user, 0, false);
    return reading.state === 'warm' ? reading.head.map(({ id }) => id) : [];
  }

  /** The same steps, with MySQL's answers known in advance. */
  #knowing(steps: Steps): Steps {
    const from = (user: Id | '0' | undefined) => this.#places.get(user ?? '') ?? 0;
    return {
      ...steps,
      followers: async (wanted, limit) =>
        wanted.map(({ after, through }) => {
          const first = after === '0' ? 0 : from(after) + 1;
          const last = through === undefined ? this.#followers.length : from(through) + 1;
          return this.#followers.slice(first, Math.min(last, first + limit));
        }),
      followerAt: async ({ after }, count) => this.#followers[(after === '0' ? -1 : from(after)) + count],
      currentEpoch: async () => this.#epoch,
      // In the order of the followers, as they are asked for.
      neighbours: async (pairs) => ({
        epoch: this.#epoch,
        rows: this.#rows.slice(from(pairs[0]?.user), from(pairs[0]?.user) + pairs.length),
      }),
    };
  }
}
