import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { run } from '../../../index/protocol.ts';
import { rebuild } from '../../../index/rebuild.ts';
import { PAIRS_A_CALL } from '../../../index/refresh.ts';
import { chunks } from '../../../timing/batches.ts';
import { createDenormalised } from '../../denormalised/table.ts';
import { idsFrom, loadGraph } from '../../reference-site/load-graph.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { Ground } from '../bench.ts';
import { PARTS, type Part, PHOTOS, type Upload, type UploadNumber } from './variant.ts';

/** The followers of everybody, and those who will upload. */
export interface Crowd {
  /** Ordered by id, as a fan-out pages through them. */
  readonly followers: readonly Id[];
  /** Each is a contact of every follower, and has no photo yet. */
  readonly owners: readonly Id[];
  /** Contacts of every follower, oldest photo first: every index is full with the newest of them. */
  readonly known: readonly { readonly id: Id; readonly at: number }[];
}

const FIRST_FOLLOWER = 20_000_000n;
const FIRST_KNOWN = 30_000_000n;
const FIRST_OWNER = 40_000_000n;

const MORE_THAN_MAX = 1;

const DAY_MS = 86_400_000;

/** Fills MySQL, the denormalised table included, and builds the index of each follower. Ids have 8 digits. */
export async function gatherCrowd(ground: Ground, counts: { followers: number; owners: number }): Promise<Crowd> {
  const { pool, steps } = ground.stores;
  const { max } = ground.namespace.config;
  const followers = idsFrom(FIRST_FOLLOWER, counts.followers);
  const owners = idsFrom(FIRST_OWNER, counts.owners);
  const begin = Date.now() - DAY_MS;
  const known = idsFrom(FIRST_KNOWN, max + MORE_THAN_MAX).map((id, i) => ({ id, at: begin + i }));
  const contacts = [...known.map(({ id }) => id), ...owners];
  await loadGraph(pool, {
    users: [...followers, ...contacts].map((id) => ({ id })),
    contacts: followers.flatMap((user) => contacts.map((contact) => ({ user, contact }))),
    photos: known.map(({ id, at }) => ({ owner: id, audience: 0, uploadedAt: at })),
  });
  await createDenormalised(pool, ground.signal);
  for (const page of chunks(followers, PAIRS_A_CALL)) await run(rebuild(page), steps);
  return { followers, owners, known };
}

/** The uploads of all rounds: each part of a round has its own owner, who uploads twice. */
export class Uploads {
  readonly #pool: Pool;
  readonly #crowd: Crowd;
  readonly #done = new Map<string, Promise<Upload>>();
  /** Later than every existing photo. */
  #at = Date.now();

  constructor(pool: Pool, crowd: Crowd) {
    this.#pool = pool;
    this.#crowd = crowd;
  }

  /** The same upload for every variant; it is in MySQL when this resolves. */
  of(round: number, part: Part, photo: UploadNumber): Promise<Upload> {
    const name = `${round} ${part} ${photo}`;
    const upload = this.#done.get(name) ?? this.#upload(round * PARTS.length + PARTS.indexOf(part));
    this.#done.set(name, upload);
    return upload;
  }

  last(rounds: number): Promise<Upload> {
    return this.of(rounds - 1, PARTS[1], PHOTOS[1]);
  }

  async #upload(position: number): Promise<Upload> {
    const owner = this.#crowd.owners[position];
    if (owner === undefined) throw new RangeError('there are fewer owners than rounds');
    const at = ++this.#at;
    await uploadPhoto(this.#pool, owner, 0, at);
    return { owner, at };
  }
}
