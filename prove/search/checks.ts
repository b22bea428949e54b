import { isAbove, type Key } from '../../src/contracts/key.ts';
import type { WarmReading } from '../../src/index/contact-index.ts';
import { nameOfOwner, ownersOf } from '../machine/index-contents.ts';
import type { Machine } from '../machine/machine.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { keysOf, ofKind } from '../site/questions.ts';
import type { Violation } from '../violation.ts';
import { type Debts, pairDebt, rebuildDebt } from './debts.ts';

/**
 * I1 to I3 of every user's index, and F1: a forgotten user stays forgotten. A cold index is never wrong. While tasks are on their way, all that they do not speak of
 * must be right all the same; at rest, everything.
 * @throws Unknown
 */
export function checkIndexes(
  machine: Machine,
  scenario: Scenario,
  index: number,
  site: number,
  debts: Debts,
): Violation | undefined {
  const snapshot = machine.site.snapshot(site);
  const { epoch } = snapshot;
  for (const owner of ownersOf(scenario)) {
    const name = nameOfOwner(owner);
    if (machine.index.isBack(index, owner)) return { rule: 'F1', what: `${name} was forgotten, and is indexed again` };
    const reading = machine.index.read(index, owner);
    if (reading.state !== 'warm' || reading.epoch !== epoch) continue;
    const isSettled = (key: Key) => !debts.pairs.includes(pairDebt(owner, key.id));
    const mayBeLow =
      debts.rebuilds.includes(rebuildDebt(owner)) || debts.pairs.some((pair) => pair.startsWith(pairDebt(owner, '')));
    const truth = keysOf(ofKind(snapshot, owner.kind).rows, owner.user).filter(isSettled);
    const wrong = compare(reading, truth, isSettled) ?? checkSize(reading, scenario, mayBeLow);
    if (wrong !== undefined)
      return { rule: wrong.rule, what: `the index of ${name} is ${describe(reading)}; ${wrong.what}` };
  }
  return undefined;
}

function compare(
  { head, floor }: WarmReading,
  truth: readonly Key[],
  isSettled: (key: Key) => boolean,
): Violation | undefined {
  const above = truth.filter((key) => isAbove(key, floor));
  const held = head.filter(isSettled);
  const left = above.find(({ id }) => !held.some((key) => key.id === id));
  if (left !== undefined) return { rule: 'I1', what: `${textOf([left])} is left out above the floor` };
  const extra = held.find((key) => !above.some(({ id, at }) => id === key.id && at === key.at));
  if (extra !== undefined) return { rule: 'I1', what: `MySQL does not say ${textOf([extra])}` };
  return undefined;
}

/** @param mayBeLow pending work will still refill the index */
function checkSize({ size, floor }: WarmReading, { max, min }: Scenario, mayBeLow: boolean): Violation | undefined {
  if (size > max) return { rule: 'I2', what: `it has more than ${max}` };
  if (size < min && floor !== undefined && !mayBeLow)
    return { rule: 'I2', what: `it has fewer than ${min}, and is not complete` };
  return undefined;
}

export function describe({ head, floor }: WarmReading): string {
  return `${textOf(head)}${floor ? `, floor ${textOf([floor])}` : ', complete'}`;
}

export function textOf(keys: readonly Key[]): string {
  return keys.length === 0 ? 'nobody' : keys.map(({ id, at }) => `${id}@${at}`).join(' ');
}
