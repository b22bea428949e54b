import type { ReceivedTask } from '../../src/consumers/work-plan.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { DelayedItem } from '../../src/index/delayed-work.ts';
import { inSequence, type Operation, type Step, type StepName } from '../../src/index/protocol.ts';
import type { RecheckRow } from '../../src/mysql/rechecks.ts';
import type { Held } from '../../src/redis/delay-queue.ts';
import { Interner } from '../interner.ts';
import type { Product } from '../load-product.ts';
import { type Renaming, renameDeep } from './nonces.ts';

/** Why an operation was started. */
export type Cause =
  | { readonly kind: 'tasks'; readonly batch: readonly ReceivedTask[] }
  | { readonly kind: 'delayed'; readonly held: Held<DelayedItem> }
  | { readonly kind: 'rechecks'; readonly rows: readonly RecheckRow[] }
  | { readonly kind: 'rebuild'; readonly users: readonly Id[] };

/** Where a step runs: MySQL, the indexes, the cursors and the delay queue, or the re-checks. */
export type Place = 'site' | 'index' | 'side' | 'rechecks';

const PLACES: Readonly<Record<StepName, Place>> = {
  pairs: 'site',
  neighbours: 'site',
  topContacts: 'site',
  owners: 'site',
  followers: 'site',
  nonces: 'index',
  apply: 'index',
  claim: 'index',
  replace: 'index',
  drop: 'index',
  forget: 'index',
  loadCursors: 'side',
  saveCursors: 'side',
  clearCursors: 'side',
  defer: 'side',
  recheck: 'rechecks',
};

/** An operation in progress. A generator cannot be copied, so it is stored as its cause and the replies so far. */
export interface Progress {
  readonly cause: number;
  readonly replies: readonly number[];
  /** Its next step, and where that runs; undefined: it has ended. */
  readonly wants: { readonly step: number; readonly place: Place } | undefined;
  /** The step was already done once; its reply was lost, and it will be sent again. */
  readonly resends: boolean;
}

/** The product's operations at every point that they can reach, by number. */
export class Operations {
  readonly causes = new Interner<Cause>();
  readonly steps = new Interner<Step>();
  readonly replies = new Interner<unknown>();
  readonly #progress: Progress[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #answered = new Map<number, number>();
  readonly #renamed = new Map<string, number>();
  readonly #code: Product['code'];
  readonly #pageSize: number;

  /** @param pageSize followers of one owner read at once */
  constructor(code: Product['code'], pageSize: number) {
    this.#code = code;
    this.#pageSize = pageSize;
  }

  begin(cause: Cause): number {
    return this.#number(this.causes.number(cause), [], false);
  }

  at(number: number): Progress {
    const progress = this.#progress[number];
    if (progress === undefined) throw new RangeError(`no operation has the number ${number}`);
    return progress;
  }

  causeOf(number: number): Cause {
    return this.causes.thing(this.at(number).cause);
  }

  /** The operation after this reply. */
  answer(number: number, reply: number): number {
    const key = number * 2 ** 24 + reply;
    let next = this.#answered.get(key);
    if (next === undefined) {
      const { cause, replies } = this.at(number);
      next = this.#number(cause, [...replies, reply], false);
      this.#answered.set(key, next);
    }
    return next;
  }

  /** The same operation with the nonces that it has seen renamed. */
  rename(number: number, renaming: Renaming, renamingNumber: number): number {
    const key = `${number} ${renamingNumber}`;
    let renamed = this.#renamed.get(key);
    if (renamed === undefined) {
      const { cause, replies, resends } = this.at(number);
      const other = replies.map((reply) => this.reply(renameDeep(this.replies.thing(reply), renaming)));
      renamed = this.#number(cause, other, resends);
      this.#renamed.set(key, renamed);
    }
    return renamed;
  }

  /** The same operation after the reply to its step was lost. */
  resending(number: number): number {
    const { cause, replies } = this.at(number);
    return this.#number(cause, replies, true);
  }

  reply(value: unknown): number {
    return this.replies.number(frozen(value));
  }

  #number(cause: number, replies: readonly number[], resends: boolean): number {
    const key = `${cause} ${replies.join(' ')}${resends ? ' again' : ''}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#progress.length;
    this.#numbers.set(key, number);
    this.#progress.push({ cause, replies, wants: this.#replay(cause, replies), resends });
    return number;
  }

  #replay(cause: number, replies: readonly number[]): Progress['wants'] {
    const operation = this.#operation(this.causes.thing(cause));
    let next = operation.next();
    for (const reply of replies) next = operation.next(this.replies.thing(reply));
    return next.done ? undefined : { step: this.steps.number(next.value), place: PLACES[next.value.name] };
  }

  #operation(cause: Cause): Generator<Step, unknown, unknown> {
    return inSequence(this.#whole(cause));
  }

  #whole(cause: Cause): Operation<unknown> {
    if (cause.kind === 'delayed') return this.#code.doDelayed(cause.held.items, {});
    if (cause.kind === 'rechecks') return this.#code.doDelayed(cause.rows.map(itemOf), {});
    if (cause.kind === 'rebuild') return this.#code.rebuild(cause.users);
    return inTurn(this.#code.stagesOf(this.#code.planWork(cause.batch), this.#pageSize, {}));
  }
}

/** The form in which the delayed worker passes it on. */
function itemOf({ user, contact, version, attempt }: RecheckRow): DelayedItem {
  return { kind: 'recheck', user, contact, version, attempt };
}

function* inTurn(stages: readonly (readonly Operation<unknown>[])[]): Operation<void> {
  for (const stage of stages) for (const operation of stage) yield* operation;
}

/** Replies are cached and reused, so they are frozen. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
