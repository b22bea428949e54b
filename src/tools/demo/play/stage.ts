import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { pick, type Random, shuffled } from '../random.ts';
import type { Journal } from './journal.ts';
import type { JournalPhoto, PhotoState } from './journal-photo.ts';

/** Half of all changes are about this many people, so that they collide with each other and with reads. */
const CIRCLE = 100;

export interface StageOptions {
  readonly pool: Pool;
  readonly journal: Journal;
  readonly random: Random;
  readonly players: readonly Id[];
  readonly groups: readonly Id[];
}

/** What the moves need: the site, the journal and the people. */
export class Stage {
  readonly pool: Pool;
  readonly journal: Journal;
  readonly random: Random;
  readonly #players: readonly Id[];
  readonly #groups: readonly Id[];
  readonly #circle: readonly Id[];
  readonly #busy = new Set<unknown>();

  constructor(options: StageOptions) {
    this.pool = options.pool;
    this.journal = options.journal;
    this.random = options.random;
    this.#players = options.players;
    this.#groups = options.groups;
    this.#circle = shuffled(options.random, options.players).slice(0, CIRCLE);
  }

  anyPlayer(): Id {
    return pick(this.random, this.random() < 0.5 ? this.#circle : this.#players);
  }

  anyGroup(): Id {
    return pick(this.random, this.#groups);
  }

  /**
   * Does the work unless the same thing is being changed: otherwise nobody could tell which change was the later one.
   */
  async alone(thing: unknown, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(thing)) return;
    this.#busy.add(thing);
    try {
      await work();
    } finally {
      this.#busy.delete(thing);
    }
  }
}

/** Something that people do on the site, in one transaction. Does nothing if there is nothing to do it with. */
export type Move = (stage: Stage) => Promise<void>;

/** Changes one of a player's photos, alone. */
export async function withPhoto(
  stage: Stage,
  change: (stage: Stage, photo: JournalPhoto, id: Id) => Promise<void>,
): Promise<void> {
  const photos = stage.journal.photosOf(stage.anyPlayer());
  if (photos.length === 0) return;
  const photo = pick(stage.random, photos);
  await stage.alone(photo, async () => {
    const state: PhotoState = photo.timeline.latest;
    if (photo.id !== undefined && state !== undefined) await change(stage, photo, photo.id);
  });
}

/** The play knows the state, so the site must have done what was asked. */
export function expectDone(done: boolean | string | null): void {
  if (done === false || done === null) throw new Error('the site did not do what the play asked of it');
}
