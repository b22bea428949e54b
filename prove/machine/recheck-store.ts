import type { KindName } from '../../src/contracts/kind.ts';
import type { Step } from '../../src/index/protocol.ts';
import type { RecheckRow } from '../../src/mysql/rechecks.ts';
import { Interner } from '../interner.ts';
import type { KindStep } from './operations.ts';

/** A re-check, and the kind whose workers do it. */
export interface KindRecheck extends RecheckRow {
  readonly of: KindName;
}

/** Re-check rows of the outbox. Ids are never reused. */
interface Contents {
  readonly next: number;
  /** A waiting row may become due at any moment, so it counts as due. */
  readonly due: readonly KindRecheck[];
  readonly held: readonly KindRecheck[];
}

/** Re-checks in MySQL, a model of the SQL in `mysql/rechecks.ts`. */
export class RecheckStore {
  readonly #contents = new Interner<Contents>();

  constructor() {
    this.#contents.number({ next: 1, due: [], held: [] });
  }

  readonly empty = 0;

  /** Does the step `recheck`. */
  put(number: number, step: KindStep): number {
    const [pairs, attempt] = (step as Step<'recheck'>).args;
    const { of } = step;
    const { next, due, held } = this.#contents.thing(number);
    const rows = pairs.map(({ user, contact, version }, i) => ({
      of,
      id: String(next + i),
      user,
      contact,
      version,
      attempt,
    }));
    return this.#contents.number({ next: next + rows.length, due: [...due, ...rows], held });
  }

  /** Rows of this kind that are due. */
  due(number: number, kind: KindName): readonly KindRecheck[] {
    return this.#contents.thing(number).due.filter(({ of }) => of === kind);
  }

  /** Waiting rows, and rows that a worker holds. */
  rows(number: number): readonly KindRecheck[] {
    const { due, held } = this.#contents.thing(number);
    return [...due, ...held];
  }

  /** Takes everything of this kind that is due. */
  taken(number: number, kind: KindName): number {
    const { next, due, held } = this.#contents.thing(number);
    const [mine, others] = [due.filter(({ of }) => of === kind), due.filter(({ of }) => of !== kind)];
    return this.#contents.number({ next, due: others, held: [...held, ...mine] });
  }

  /** Removes these rows, wherever they are by now. */
  finished(number: number, rows: readonly RecheckRow[]): number {
    const { next, due, held } = this.#contents.thing(number);
    return this.#contents.number({ next, due: without(due, rows), held: without(held, rows) });
  }

  /** Returns rows whose lease has ended or whose worker is gone; undefined: all that are held. */
  returned(number: number, rows?: readonly RecheckRow[]): number {
    const { next, due, held } = this.#contents.thing(number);
    const stay = rows === undefined ? [] : without(held, rows);
    return this.#contents.number({ next, due: [...due, ...without(held, stay)].sort(byId), held: stay });
  }

  /** Loses them, as if they had been stored in Redis. */
  lost(number: number): number {
    const { next } = this.#contents.thing(number);
    return this.#contents.number({ next, due: [], held: [] });
  }
}

function without(rows: readonly KindRecheck[], gone: readonly RecheckRow[]): KindRecheck[] {
  return rows.filter(({ id }) => !gone.some((other) => other.id === id));
}

function byId(one: RecheckRow, other: RecheckRow): number {
  return Number(one.id) - Number(other.id);
}
