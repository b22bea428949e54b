import type { Pool } from 'mysql2/promise';
import type { Id } from '../../../contracts/id.ts';
import { pick, type Random, shuffled } from '../random.ts';
import type { Journal } from './journal.ts';

/** So few people are in half of everything that happens: their changes meet one another, and the reads. */
const CIRCLE = 100;

/** Where the play takes place. */
export class Stage {
  readonly pool: Pool;
  readonly journal: Journal;
  readonly random: Random;
  readonly #players: readonly Id[];
  readonly #circle: readonly Id[];
  readonly #busy = new Set<unknown>();

  constructor(options: { pool: Pool; journal: Journal; random: Random; players: readonly Id[] }) {
    this.pool = options.pool;
    this.journal = options.journal;
    this.random = options.random;
    this.#players = options.players;
    this.#circle = shuffled(options.random, options.players).slice(0, CIRCLE);
  }

  anyPlayer(): Id {
    return pick(this.random, this.random() < 0.5 ? this.#circle : this.#players);
  }

  /**
   * Does the work unless the thing is being changed by somebody else just now: only then is it known which of two
   * changes was the later one.
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
