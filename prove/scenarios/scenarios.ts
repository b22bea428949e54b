import { fanOut, SUSPENSIONS, segments } from './fan-out.ts';
import { bothKinds, GROUP_SETTINGS, groups, members } from './groups.ts';
import { ANY_FAULT, ONE_CHANGE, oneUser, SETTINGS, SITES } from './one-user.ts';
import type { Fault, Scenario } from './scenario.ts';

/**
 * - `a` 2 actions over 1 user and 3 contacts
 * - `b` 2 actions on 1 owner with 2 followers in one page
 * - `c` 3 actions, as far as the budget goes
 * - `d` 2 actions of groups: 1 user and 3 groups, 1 group with 2 members, or 1 user with contacts and groups
 * - `f` 1 or 2 actions on 1 owner with 2 followers, more than a page: plans and segments (`e` is push)
 */
export type Part = 'a' | 'b' | 'c' | 'd' | 'f';

export interface Listed {
  readonly part: Part;
  readonly scenario: Scenario;
}

const AGAIN: readonly Fault[] = ['crash', 'duplicate', 'rebuild'];

const BEFORE_COMMIT: Partial<Scenario> = { versions: true, publish: 'versioned before' };

/** Of a follower. */
const UNREADABLE = [{ user: '9', contact: '7' }];

/** Without faults: a second or so each. */
const SMALL: readonly Listed[] = [
  a('floor', { faultsAtMost: 0 }),
  a('ties', { site: SITES.TIES, faultsAtMost: 0 }),
  a('complete and full', { site: SITES.TWO, faultsAtMost: 0 }),
  a('complete with room', { site: SITES.ONE, faultsAtMost: 0 }),
  a('one attempt', { attempts: 1, faultsAtMost: 0 }),
  a('trims that leave room', { trimsToMin: true, faultsAtMost: 0 }),
  a('cold, one change', { index: 'cold', actions: 1, faults: ['rebuild', 'evict', 'epoch', 'crash'], faultsAtMost: 3 }),
  a('cold, commands sent twice', {
    index: 'cold',
    actions: 1,
    workers: 3,
    faults: ['rebuild', 'resend'],
    faultsAtMost: 3,
  }),
  a('a loss and a rebuild', { actions: 1, faults: ['suspend', 'rebuild'], faultsAtMost: 2 }),
  a('forgotten while it is built', { actions: 1, faults: ['forget', 'rebuild'], faultsAtMost: 3 }),
  a('one change before its commit', { ...BEFORE_COMMIT, actions: 1, faultsAtMost: 1 }),
  a('cold, one change before its commit', { ...BEFORE_COMMIT, index: 'cold', actions: 1, faults: ['rebuild'] }),
  a('one early change, Redis lost', {
    ...BEFORE_COMMIT,
    actions: 1,
    faults: ['wipe', 'drop', 'rebuild'],
    faultsAtMost: 2,
  }),
  a('a setting', { menu: SETTINGS, faultsAtMost: 0 }),
  a('a setting, one change', {
    menu: SETTINGS,
    actions: 1,
    faults: ['crash', 'duplicate', 'rebuild', 'drop'],
    faultsAtMost: 2,
  }),
  a('an allowance of one', { rules: ONE_CHANGE, faults: ['read', 'rebuild'], faultsAtMost: 1 }),
  a('small users', {
    rules: { indexAbove: 1, keep: 1 },
    site: SITES.GROWING,
    index: 'cold',
    faults: ['rebuild'],
    faultsAtMost: 1,
  }),
  b('fan-out', { faultsAtMost: 0 }),
  b('suspension', { menu: SUSPENSIONS, faultsAtMost: 0 }),
  b('fan-out, one attempt', { attempts: 1, faultsAtMost: 0 }),
  b('fan-out, one change', { actions: 1, faults: ['crash', 'duplicate', 'rebuild', 'drop'], faultsAtMost: 2 }),
  b('a row that cannot be read', { unreadable: UNREADABLE, actions: 1, faults: ['rebuild'], faultsAtMost: 1 }),
  f('segments', { actions: 1 }),
  f('segments, a row that cannot be read', {
    unreadable: UNREADABLE,
    actions: 1,
    faults: ['rebuild'],
    faultsAtMost: 1,
  }),
  f('segments, a plan that nobody misses', { faults: ['stray'], faultsAtMost: 1 }),
  f('segments, crash', { actions: 1, faults: ['crash', 'duplicate'], faultsAtMost: 1 }),
  f('segments, one attempt', { actions: 1, attempts: 1 }),
  f('segments, uploads', {}),
  d(groups('groups', { faultsAtMost: 0 })),
  d(groups('groups, cold, one change', { index: 'cold', actions: 1, faults: AGAIN, faultsAtMost: 2 })),
  d(groups('groups, one change before its commit', { ...BEFORE_COMMIT, actions: 1, faultsAtMost: 1 })),
  d(groups('groups, a setting', { menu: GROUP_SETTINGS, faultsAtMost: 0 })),
  d(members('members of a group', { faultsAtMost: 0 })),
  d(bothKinds('both kinds', { faultsAtMost: 0 })),
  d(bothKinds('both kinds, one attempt', { attempts: 1, faultsAtMost: 0 })),
  d(bothKinds('both kinds, one change before its commit', { ...BEFORE_COMMIT, actions: 1, faultsAtMost: 1 })),
];

const LARGE: readonly Listed[] = [
  a('floor, any fault', { faults: [...ANY_FAULT, 'resend'] }),
  a('ties, any fault', { site: SITES.TIES }),
  a('trims that leave room, any fault', { trimsToMin: true }),
  a('complete and full, any fault', { site: SITES.TWO }),
  a('complete with room, any fault', { site: SITES.ONE }),
  a('placeholder, any fault', { index: 'placeholder' }),
  a('cold, rebuilt and any fault', { index: 'cold', faults: ['crash', 'rebuild', 'evict', 'epoch'], faultsAtMost: 2 }),
  a('losses one after the other', { actions: 1, faults: ['suspend', 'rebuild'], faultsAtMost: 3 }),
  a('two changes, losses', { faults: ['suspend'], faultsAtMost: 2 }),
  a('cold, losses and rebuilds', {
    index: 'cold',
    actions: 1,
    faults: ['suspend', 'rebuild', 'crash'],
    faultsAtMost: 3,
  }),
  a('failover', { faults: ['failover'] }),
  a('cold, failover', { index: 'cold', actions: 1, faults: ['rebuild', 'failover'], faultsAtMost: 3 }),
  a('one attempt, delivered again', { attempts: 1, faults: AGAIN }),
  a('delivered again, twice', { faults: AGAIN, faultsAtMost: 2 }),
  a('changes before their commits', { ...BEFORE_COMMIT, faultsAtMost: 0 }),
  a('cold, one early change, two faults', {
    ...BEFORE_COMMIT,
    index: 'cold',
    actions: 1,
    faults: [...AGAIN, 'evict'],
    faultsAtMost: 2,
  }),
  a('early change, Redis lost, any fault', {
    ...BEFORE_COMMIT,
    actions: 1,
    faults: ['wipe', ...AGAIN],
    faultsAtMost: 2,
  }),
  a('Redis lost', { faults: ['wipe', 'rebuild'] }),
  a('a setting, any fault', { menu: SETTINGS, faults: [...ANY_FAULT, 'resend'] }),
  a('a setting, cold and rebuilt', { menu: SETTINGS, index: 'cold', faults: ['rebuild', 'crash'], faultsAtMost: 2 }),
  a('an allowance of one, any fault', {
    rules: ONE_CHANGE,
    faults: [...ANY_FAULT, 'read', 'resend'],
    faultsAtMost: 2,
    actions: 1,
  }),
  b('fan-out, an allowance of one', { rules: ONE_CHANGE, faults: ['read', 'rebuild'] }),
  b('fan-out, delivered again', { faults: ['crash', 'duplicate'] }),
  b('fan-out, any fault', {}),
  b('suspension, any fault', { menu: SUSPENSIONS }),
  b('fan-out, cold', { index: 'cold', faults: ['rebuild'] }),
  b('fan-out, one attempt, duplicate', { attempts: 1, faults: ['duplicate'] }),
  b('a row that cannot be read, any fault', { unreadable: UNREADABLE }),
  f('segments, uploads, a row that cannot be read', {
    unreadable: UNREADABLE,
    faults: ['rebuild', 'crash'],
    faultsAtMost: 1,
  }),
  f('segments, a plan that nobody misses, crash', { actions: 1, faults: ['stray', 'crash'], faultsAtMost: 2 }),
  f('segments, uploads, crash', { faults: ['crash'], faultsAtMost: 1 }),
  f('segments, any fault', { actions: 1, faults: ANY_FAULT, faultsAtMost: 1 }),
  f('segments, uploads, any fault', { faults: ANY_FAULT, faultsAtMost: 1 }),
  f('segments, uploads, Redis lost', { faults: ['wipe', 'rebuild'], faultsAtMost: 2 }),
  f('segments, three changes', { actions: 3 }),
  f('segments, uploads, a loss', { faults: ['loss', 'rebuild'], faultsAtMost: 2 }),
  d(groups('groups, any fault', {})),
  d(members('members of a group, some faults', { faults: ['crash', 'rebuild', 'epoch', 'loss'] })),
  d(bothKinds('both kinds, any fault', {})),
  c(oneUser('three actions', { actions: 3, faultsAtMost: 0 })),
  c(fanOut('fan-out, three actions', { actions: 3, faultsAtMost: 0 })),
];

/** All scenarios. */
export const SCENARIOS: readonly Listed[] = [...SMALL, ...LARGE];

/** The scenarios of every test run. */
export const QUICK: readonly Listed[] = SMALL;

/** @throws Error when there is no such scenario */
export function scenarioOf(name: string): Scenario {
  const listed = SCENARIOS.find(({ scenario }) => scenario.name === name);
  if (listed === undefined) throw new Error(`there is no scenario '${name}'`);
  return listed.scenario;
}

function a(name: string, changes: Partial<Scenario>): Listed {
  return { part: 'a', scenario: oneUser(name, changes) };
}

function b(name: string, changes: Partial<Scenario>): Listed {
  return { part: 'b', scenario: fanOut(name, changes) };
}

function f(name: string, changes: Partial<Scenario>): Listed {
  return { part: 'f', scenario: segments(name, changes) };
}

function d(scenario: Scenario): Listed {
  return { part: 'd', scenario };
}

function c(scenario: Scenario): Listed {
  return { part: 'c', scenario };
}
