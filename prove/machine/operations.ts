import type { ReceivedTask } from '../../src/consumers/work-plan.ts';
import { isBulkTask } from '../../src/contracts/bulk-task.ts';
import type { Id } from '../../src/contracts/id.ts';
import type { Kind, KindName } from '../../src/contracts/kind.ts';
import { ENDLESS, type KeepRules } from '../../src/index/allowance.ts';
import type { DelayedItem } from '../../src/index/delayed-work.ts';
import { inSequence, type Operation, type Step, type StepName } from '../../src/index/protocol.ts';
import type { RecheckRow } from '../../src/mysql/rechecks.ts';
import type { Held } from '../../src/redis/delay-queue.ts';
import { Interner } from '../interner.ts';
import type { Product } from '../load-product.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { kindOf } from '../site/site.ts';
import { isFailure } from './failure.ts';
import { type Renaming, renameDeep } from './nonces.ts';

/** Why an operation was started, and of which kind its work is: tasks may be of all of them. */
export type Cause =
  | { readonly kind: 'tasks'; readonly batch: readonly ReceivedTask[] }
  | { readonly kind: 'delayed'; readonly of: KindName; readonly held: Held<DelayedItem> }
  | { readonly kind: 'rechecks'; readonly of: KindName; readonly rows: readonly RecheckRow[] }
  | { readonly kind: 'rebuild'; readonly of: KindName; readonly users: readonly Id[] };

/** A step on the steps of one kind. */
export type KindStep = Step & { readonly of: KindName };

/** Where a step runs: MySQL, the indexes, the notes of plans and the delay queue, the re-checks, or the tasks in flight. */
export type Place = 'site' | 'index' | 'side' | 'rechecks' | 'tasks';

const PLACES: Readonly<Record<Exclude<StepName, 'signal' | 'watchedFollowers'>, Place>> = {
  pairs: 'site',
  neighbours: 'site',
  topContacts: 'site',
  allowances: 'site',
  owners: 'site',
  followers: 'site',
  followerAt: 'site',
  currentEpoch: 'site',
  nonces: 'index',
  apply: 'index',
  claim: 'index',
  replace: 'index',
  drop: 'index',
  forget: 'index',
  beginPlan: 'side',
  notedPlan: 'side',
  planPublished: 'side',
  takePlan: 'side',
  publish: 'tasks',
  isWaiting: 'tasks',
  defer: 'side',
  recheck: 'rechecks',
};

/**
 * No index depends on signals, so they are no steps here; prove/push searches what does. Nobody is watched here: a plan that
 * refreshes some followers first does what a segment does that is repeated. Where every index pays, nothing asks MySQL for
 * allowances.
 */
function afterSignals<T>(
  operation: Generator<KindStep, T, unknown>,
  next: IteratorResult<KindStep, T>,
  rules: KeepRules | undefined,
) {
  let after = next;
  while (!after.done) {
    const { name, args } = after.value;
    if (name === 'signal') after = operation.next();
    else if (name === 'watchedFollowers') after = operation.next([]);
    else if (name === 'allowances' && rules === undefined) after = operation.next((args[0] as Id[]).map(() => ENDLESS));
    else break;
  }
  return after;
}

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
  readonly steps = new Interner<KindStep>();
  readonly replies = new Interner<unknown>();
  readonly #progress: Progress[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #answered = new Map<number, number>();
  readonly #renamed = new Map<string, number>();
  readonly #code: Product['code'];
  readonly #kinds: readonly KindName[];
  readonly #sizes: Pick<Scenario, 'pageSize' | 'segmentSize'>;
  readonly #rules: KeepRules | undefined;

  constructor(
    code: Product['code'],
    { kinds, rules, ...sizes }: Pick<Scenario, 'kinds' | 'pageSize' | 'segmentSize' | 'rules'>,
  ) {
    this.#code = code;
    this.#rules = rules;
    this.#kinds = kinds;
    this.#sizes = sizes;
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
    const operation = this.#whole(this.causes.thing(cause));
    let next = afterSignals(operation, operation.next(), this.#rules);
    for (const reply of replies) {
      next = afterSignals(operation, answered(operation, this.replies.thing(reply)), this.#rules);
    }
    if (next.done) return undefined;
    return { step: this.steps.number(next.value), place: PLACES[next.value.name as keyof typeof PLACES] };
  }

  #whole(cause: Cause): Generator<KindStep, unknown, unknown> {
    if (cause.kind === 'tasks') return this.#work(cause.batch);
    const kind = kindOf(cause.of);
    if (cause.kind === 'delayed') return onStepsOf(kind, this.#code.doDelayed(cause.held.items, {}, kind));
    if (cause.kind === 'rechecks') return onStepsOf(kind, this.#code.doDelayed(cause.rows.map(itemOf), {}, kind));
    return onStepsOf(kind, this.#code.rebuild(cause.users));
  }

  /** One kind after the other, as the consumer does it; the tasks are acknowledged after all of them. */
  *#work(batch: readonly ReceivedTask[]): Generator<KindStep, void, unknown> {
    const { pageSize, segmentSize = pageSize } = this.#sizes;
    const lane = batch.some(({ task }) => isBulkTask(task)) ? 'bulk' : 'small';
    for (const kind of this.#kinds.map(kindOf)) {
      const sizes = { lane, pageSize, segmentSize, segmentsAtOnce: 1 } as const;
      const stages = this.#code.stagesOf(this.#code.planWork(batch, kind), sizes, {});
      yield* onStepsOf(kind, inTurn(stages));
    }
  }
}

/** An operation as it is done where the steps are bound to this kind. */
function* onStepsOf({ name }: Kind, operation: Operation<unknown>): Generator<KindStep, unknown, unknown> {
  const steps = inSequence(operation) as Generator<Step, unknown, unknown>;
  let next = steps.next();
  while (!next.done) {
    const wanted = { ...next.value, of: name as KindName };
    let reply: unknown;
    try {
      reply = yield wanted;
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(reply);
  }
  return next.value;
}

function answered<T>(operation: Generator<KindStep, T, unknown>, reply: unknown): IteratorResult<KindStep, T> {
  return isFailure(reply) ? operation.throw(new Error(reply.failure)) : operation.next(reply);
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
