import type { Step } from '../../src/index/protocol.ts';
import type { RecheckRow } from '../../src/mysql/rechecks.ts';
import { Interner } from '../interner.ts';

/** Rows of the outbox that are re-checks. Ids are never given twice. */
interface Contents {
  readonly next: number;
  /** What waits may become due at any moment, so it is due. */
  readonly due: readonly RecheckRow[];
  readonly held: readonly RecheckRow[];
}

/** Re-checks in MySQL, as the statements of `mysql/rechecks.ts` keep them: a model of those, for they are SQL. */
export class RecheckStore {
  readonly #contents = new Interner<Contents>();

  constructor() {
    this.#contents.number({ next: 1, due: [], held: [] });
  }

  readonly empty = 0;

  /** Does the step `recheck`. */
  put(number: number, step: Step): number {
    const [pairs, attempt] = (step as Step<'recheck'>).args;
    const { next, due, held } = this.#contents.thing(number);
    const rows = pairs.map(({ user, contact, version }, i) => ({
      id: String(next + i),
      user,
      contact,
      version,
      attempt,
    }));
    return this.#contents.number({ next: next + rows.length, due: [...due, ...rows], held });
  }

  due(number: number): readonly RecheckRow[] {
    return this.#contents.thing(number).due;
  }

  /** What waits, and what somebody is at work on. */
  rows(number: number): readonly RecheckRow[] {
    const { due, held } = this.#contents.thing(number);
    return [...due, ...held];
  }

  /** Everything that is due is in hand. */
  taken(number: number): number {
    const { next, due, held } = this.#contents.thing(number);
    return this.#contents.number({ next, due: [], held: [...held, ...due] });
  }

  /** These are done, wherever they are by now. */
  finished(number: number, rows: readonly RecheckRow[]): number {
    const { next, due, held } = this.#contents.thing(number);
    return this.#contents.number({ next, due: without(due, rows), held: without(held, rows) });
  }

  /** Their lease has passed, or their worker is gone; undefined: everything in hand. */
  returned(number: number, rows?: readonly RecheckRow[]): number {
    const { next, due, held } = this.#contents.thing(number);
    const stay = rows === undefined ? [] : without(held, rows);
    return this.#contents.number({ next, due: [...due, ...without(held, stay)].sort(byId), held: stay });
  }

  /** As though they had been kept where they can be lost. */
  lost(number: number): number {
    const { next } = this.#contents.thing(number);
    return this.#contents.number({ next, due: [], held: [] });
  }
}

function without(rows: readonly RecheckRow[], gone: readonly RecheckRow[]): RecheckRow[] {
  return rows.filter(({ id }) => !gone.some((other) => other.id === id));
}

function byId(one: RecheckRow, other: RecheckRow): number {
  return Number(one.id) - Number(other.id);
}
