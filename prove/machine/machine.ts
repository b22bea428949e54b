import { loadProduct, type Product } from '../load-product.ts';
import type { Patch } from '../patch.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { kindOf } from '../site/site.ts';
import { IndexStore } from './index-store.ts';
import { Operations } from './operations.ts';
import { RecheckStore } from './recheck-store.ts';
import { SideStore } from './side-store.ts';
import { SiteStore } from './site-store.ts';
import { TaskStore } from './task-store.ts';

/** The product's code, its stores, and the tasks in flight. */
export interface Machine {
  readonly product: Product;
  readonly operations: Operations;
  readonly site: SiteStore;
  readonly index: IndexStore;
  readonly side: SideStore;
  readonly rechecks: RecheckStore;
  readonly tasks: TaskStore;
  close(): void;
}

/** @param patches changes of the product's text; `name` identifies the set */
export async function buildMachine(scenario: Scenario, name: string, patches: readonly Patch[]): Promise<Machine> {
  const { attempts, trimsToMin, users, versions, menu, max, fanOuts, unreadable, rules } = scenario;
  const bounds = [
    ...(attempts === undefined ? [] : attemptsPatches(attempts)),
    ...(trimsToMin ? [TRIMS_TO_MIN] : []),
    NO_SPARE_CANDIDATES,
  ];
  const product = await loadProduct(`${name} ${attempts ?? ''} ${trimsToMin ?? ''}`, [...patches, ...bounds]);
  const everybody = new Set(
    scenario.site.relationships.flatMap(({ kind, user, contact }) =>
      kindOf(kind).areUsers ? [user, contact] : [user],
    ),
  );
  const operations = new Operations(product.code, scenario);
  const numberOf = (reply: unknown) => operations.reply(reply);
  const index = new IndexStore(product, scenario, numberOf);
  const side = new SideStore(product, scenario.kinds, numberOf);
  return {
    product,
    operations,
    site: new SiteStore(
      {
        ...{ users: versions ? everybody : new Set(users), menu, max, versions, fanOuts, unreadable, rules },
        allowanceOf: product.code.allowanceOf,
      },
      numberOf,
    ),
    index,
    side,
    rechecks: new RecheckStore(),
    tasks: new TaskStore(operations),
    close() {
      index.close();
      side.close();
    },
  };
}

/** An answer for one contact then reads only part of an index of two. */
const NO_SPARE_CANDIDATES: Patch = {
  file: 'query/narrow.ts',
  from: 'const SPARE_CANDIDATES = 2;',
  to: 'const SPARE_CANDIDATES = 0;',
};

/** A trim leaves a third of what is between max and min for the next few: nothing where these are 2 and 1. */
const TRIMS_TO_MIN: Patch = { file: 'index/redis/lua/apply.lua', from: 'math.floor((max - min) / 3)', to: 'max - min' };

/** Lower than the product's, so that few interleavings reach it. */
function attemptsPatches(attempts: number): Patch[] {
  const bound = { from: 'const ATTEMPTS = 5;', to: `const ATTEMPTS: number = ${attempts};` };
  return [
    { file: 'index/refresh.ts', ...bound },
    { file: 'index/rebuild.ts', ...bound },
  ];
}
