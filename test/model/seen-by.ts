import type { Id } from '../../src/contracts/id.ts';
import { isAbove, type Key } from '../../src/contracts/key.ts';
import type { Kind } from '../../src/contracts/kind.ts';
import type { MarkSeen } from '../../src/query/mark-seen.ts';

/** What a device says: that this list was shown, or only what it shows of one contact or group. */
export interface DeviceMark {
  /** Which of the user's lists, modulo their number: 0 is the latest. */
  readonly nth: number;
  readonly source: Id | undefined;
}

interface Marked {
  readonly source: Id | undefined;
  /** The highest key of the list. */
  readonly key: Key;
}

interface SeenRow extends Key {
  readonly unseen?: boolean;
}

/** How many lists the devices of a user remember. The older they are, the lower and later is a mark. */
const REMEMBERED = 6;

/** What the lists of each user have shown, and what their devices have said of them. */
export class SeenBy {
  readonly #seen: MarkSeen;
  readonly #kind: string;
  readonly #shown = new Map<Id, Key[]>();
  readonly #marked = new Map<Id, Marked[]>();

  constructor(seen: MarkSeen, kind: Kind) {
    this.#seen = seen;
    this.#kind = kind.name;
  }

  /** @param rows highest key first */
  show(user: Id, [first]: readonly Key[]): void {
    if (first === undefined) return;
    const { id, at } = first;
    this.#shown.set(user, [{ id, at }, ...(this.#shown.get(user) ?? [])].slice(0, REMEMBERED));
  }

  /** All of them at once, as from several devices. */
  async mark(user: Id, marks: readonly DeviceMark[]): Promise<void> {
    const shown = this.#shown.get(user) ?? [];
    await Promise.all(
      marks.map(async ({ nth, source }) => {
        const key = shown[nth % Math.max(1, shown.length)];
        if (key === undefined) return;
        const through = [{ kind: this.#kind, source: undefined, key }];
        await this.#seen.mark({ user, kinds: [this.#kind], source, seen: { through } });
        this.#marked.set(user, [...(this.#marked.get(user) ?? []), { source, key }]);
      }),
    );
  }

  /** The marks that every answer must know that is asked for from now on. */
  marksOf(user: Id): readonly Marked[] {
    return this.#marked.get(user) ?? [];
  }
}

/** @throws Error when a row is unseen although it had been marked */
export function expectUnmarked(user: Id, rows: readonly SeenRow[], marks: readonly Marked[]): void {
  for (const row of rows.filter(({ unseen }) => unseen)) {
    const mark = marks.find(({ source, key }) => (source === undefined || source === row.id) && !isAbove(row, key));
    if (mark !== undefined) throw new Error(`${user} had seen it: ${JSON.stringify({ row, mark })}`);
  }
}
