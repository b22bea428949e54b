import type { Id } from '../../src/contracts/id.ts';
import type { Key } from '../../src/contracts/key.ts';
import type { PlainContact } from './plain-sql.ts';

/** By user, highest key first. */
type Truth = ReadonlyMap<Id, readonly PlainContact[]>;

interface Moment {
  /** Until the next state's. */
  readonly from: number;
  readonly truth: Truth;
}

/** The results of plain SQL since the beginning of a history, by its clock. */
export class Truths {
  readonly #read: () => Promise<Truth>;
  readonly #now: () => number;
  readonly #moments: Moment[] = [];

  /** @param read asks plain SQL */
  constructor(read: () => Promise<Truth>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** Call after every action on the site. */
  async look(): Promise<void> {
    this.#moments.push({ from: this.#now(), truth: await this.#read() });
  }

  /** Whether this contact had this last upload (0: none visible, or not a contact) at some time since then. */
  wasSo(user: Id, said: Key, since: number): boolean {
    return this.#since(since).some(
      (contacts) => (contacts(user).find(({ id }) => id === said.id)?.at ?? 0) === said.at,
    );
  }

  /** Whether these were the user's best contacts, `count` of them or all, at some time since then. */
  wereBest(user: Id, said: readonly Key[], count: number, since: number): boolean {
    const text = said.map(({ id, at }) => `${id} ${at}`).join();
    const best = (contacts: readonly Key[]) => contacts.slice(0, count).map(({ id, at }) => `${id} ${at}`);
    return this.#since(since).some((contacts) => best(contacts(user)).join() === text);
  }

  /** The states in force at some time since then. */
  #since(since: number): ((user: Id) => readonly PlainContact[])[] {
    const moments = this.#moments.filter(
      (_moment, i) => (this.#moments[i + 1]?.from ?? Number.POSITIVE_INFINITY) > since,
    );
    return moments.map(
      ({ truth }) =>
        (user) =>
          truth.get(user) ?? [],
    );
  }
}
