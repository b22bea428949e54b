import type { Id } from '../../src/contracts/id.ts';
import { type allowanceOf, KEEP_ALL } from '../../src/index/allowance.ts';
import { isSuspended, suspendedToken } from '../../src/mysql/epoch-token.ts';
import type { Pair } from '../../src/mysql/statements/pairs.ts';
import { Interner } from '../interner.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { type Action, actionsOn, type Menu } from '../site/actions.ts';
import { ofKind, QUESTIONS, type Snapshot } from '../site/questions.ts';
import { type Site, truthOf } from '../site/site.ts';
import type { Failure } from './failure.ts';
import type { NumberOf } from './index-store.ts';
import type { KindStep } from './operations.ts';

export interface SiteOptions {
  readonly users: ReadonlySet<Id>;
  readonly menu: Menu;
  readonly max: number;
  /** Do tasks carry the version of their row? Otherwise versions are left out of the states. */
  readonly versions: boolean;
  readonly fanOuts: Scenario['fanOuts'];
  readonly unreadable: Scenario['unreadable'];
  readonly rules: Scenario['rules'];
  /** The product's, possibly patched. */
  readonly allowanceOf: typeof allowanceOf;
}

interface Contents {
  readonly snapshot: Snapshot;
  /** Undefined once nothing can change any more; then only the views matter. */
  readonly site: Site | undefined;
}

/** MySQL: what is committed, and the answers to the product's questions. */
export class SiteStore {
  readonly #contents = new Interner<Contents>();
  readonly #options: SiteOptions;
  readonly #actions = new Map<number, readonly Action[]>();
  readonly #answers = new Map<number, number>();
  readonly #settled: number[] = [];
  readonly #histories = new Map<string, number>();
  readonly #newEpochs: number[] = [];
  readonly #numberOf: NumberOf;

  constructor(options: SiteOptions, numberOf: NumberOf) {
    this.#numberOf = numberOf;
    this.#options = options;
  }

  number(site: Site): number {
    const known = this.#options.versions ? site : withoutVersions(site);
    const rows = truthOf(known, this.#options.users);
    return this.#contents.number({ snapshot: { epoch: site.epoch, rows }, site: known });
  }

  /** The same contents, which will not change any more. */
  settled(number: number): number {
    this.#settled[number] ??= this.#contents.number({ snapshot: this.snapshot(number), site: undefined });
    return this.#settled[number];
  }

  snapshot(number: number): Snapshot {
    return this.#contents.thing(number).snapshot;
  }

  site(number: number): Site {
    const { site } = this.#contents.thing(number);
    if (site === undefined) throw new Error('this site was said not to change any more');
    return site;
  }

  /** The actions that are possible now. */
  actions(number: number): readonly Action[] {
    let actions = this.#actions.get(number);
    if (actions === undefined) {
      actions = actionsOn(this.site(number), this.#options.menu);
      this.#actions.set(number, actions);
    }
    return actions;
  }

  commit(number: number, action: Action): number {
    return this.number(action.commit(this.site(number)));
  }

  /** The number of sequences of this many actions from here. */
  histories(number: number, actions: number): number {
    if (actions === 0) return 1;
    const key = `${number} ${actions}`;
    let count = this.#histories.get(key);
    if (count === undefined) {
      count = this.actions(number).reduce(
        (sum, action) => sum + this.histories(this.commit(number, action), actions - 1),
        0,
      );
      this.#histories.set(key, count);
    }
    return count;
  }

  newEpoch(number: number): number {
    const site = this.site(number);
    this.#newEpochs[number] ??= this.number({ ...site, epoch: nextEpoch(site.epoch) });
    return this.#newEpochs[number];
  }

  /** Tasks are known to be lost from now on. */
  suspended(number: number, how: Scenario['suspends']): number {
    const site = this.site(number);
    if (how === 'at the end') return this.number({ ...site, lossKnown: true });
    return this.number({ ...site, epoch: suspendedToken(nextEpoch(site.epoch)) });
  }

  isSuspended(number: number): boolean {
    return this.#contents.thing(number).site?.lossKnown === true || isSuspended(this.snapshot(number).epoch);
  }

  /** The consumers have caught up after the loss. */
  caughtUp(number: number, how: Scenario['suspends']): number {
    const { lossKnown: _known, ...site } = this.site(number);
    return this.number({ ...site, epoch: how === 'and resumes' ? nextEpoch(site.epoch, -1) : nextEpoch(site.epoch) });
  }

  /** The number of the answer. @param stepNumber its cache key */
  ask(step: KindStep, stepNumber: number, number: number): number {
    const key = stepNumber * 2 ** 24 + number;
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = this.#numberOf(this.#answer(step, ofKind(this.snapshot(number), step.of)));
      this.#answers.set(key, answer);
    }
    return answer;
  }

  #answer(step: KindStep, snapshot: Snapshot): unknown {
    if (this.#isUnreadable(step)) return { failure: 'a row that cannot be read' } satisfies Failure;
    if (step.name === 'pairs') return QUESTIONS.pairs(snapshot, step.args[0] as Pair[]);
    if (step.name === 'neighbours')
      return QUESTIONS.neighbours(snapshot, ...(step.args as Parameters<Asked['neighbours']>));
    if (step.name === 'followers')
      return QUESTIONS.followers(snapshot, ...(step.args as Parameters<Asked['followers']>), this.#options.fanOuts);
    if (step.name === 'currentEpoch') return snapshot.epoch;
    if (step.name === 'followerAt')
      return QUESTIONS.followerAt(snapshot, ...(step.args as Parameters<Asked['followerAt']>), this.#options.fanOuts);
    if (step.name === 'allowances') {
      const { rules = KEEP_ALL, allowanceOf } = this.#options;
      return QUESTIONS.sizes(snapshot, step.args[0] as Id[]).map((rows) => allowanceOf(rows, rules));
    }
    if (step.name === 'owners') return QUESTIONS.owners(snapshot, step.args[0] as Id[]);
    if (step.name === 'topContacts')
      return QUESTIONS.topContacts(snapshot, step.args[0] as Id[], this.#options.max + 1);
    throw new Error(`${step.name} is no question to MySQL`);
  }

  #isUnreadable({ name, args }: KindStep): boolean {
    const { unreadable = [] } = this.#options;
    if (name !== 'pairs' && name !== 'neighbours') return false;
    const wanted = args[0] as readonly Pair[];
    return unreadable.some((bad) => wanted.some(({ user, contact }) => user === bad.user && contact === bad.contact));
  }
}

function nextEpoch(epoch: string, by = 1): string {
  return `E${Number(/\d+/.exec(epoch)?.[0]) + by}`;
}

type Asked = import('../../src/index/protocol.ts').SystemOfRecord;

function withoutVersions(site: Site): Site {
  return { ...site, relationships: site.relationships.map((row) => ({ ...row, version: 1 })) };
}
