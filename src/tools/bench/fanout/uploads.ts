import type { Pool } from 'mysql2/promise';
import { uploadPhoto } from '../../reference-site/photos.ts';
import { PARTS, type Part, PHOTOS, type Photo, type Upload } from './arm.ts';
import type { Crowd } from './crowd.ts';

/** Owners that so many rounds need. */
export function ownersNeeded(rounds: number): number {
  return rounds * PARTS.length;
}

/** The uploads of all rounds: each part of a round has an owner of its own, who uploads twice. */
export class Uploads {
  readonly #pool: Pool;
  readonly #crowd: Crowd;
  readonly #done = new Map<string, Promise<Upload>>();
  /** Later than every photo that there was. */
  #at = Date.now();

  constructor(pool: Pool, crowd: Crowd) {
    this.#pool = pool;
    this.#crowd = crowd;
  }

  /** The same upload for every arm; in MySQL when this resolves. */
  of(round: number, part: Part, photo: Photo): Promise<Upload> {
    const name = `${round} ${part} ${photo}`;
    const upload = this.#done.get(name) ?? this.#upload(round * PARTS.length + PARTS.indexOf(part));
    this.#done.set(name, upload);
    return upload;
  }

  /** Of all rounds so far. */
  last(rounds: number): Promise<Upload> {
    return this.of(rounds - 1, PARTS[1], PHOTOS[1]);
  }

  async #upload(place: number): Promise<Upload> {
    const owner = this.#crowd.owners[place];
    if (owner === undefined) throw new RangeError('there are fewer owners than rounds');
    const at = ++this.#at;
    await uploadPhoto(this.#pool, owner, 0, at);
    return { owner, at };
  }
}
