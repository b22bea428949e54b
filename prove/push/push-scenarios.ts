import type { PushFault, PushScenario, SiteAction } from './world.ts';

const up = (contact: string, at: number): SiteAction => ({ do: 'upload', contact, at });
const gone = (contact: string, at: number): SiteAction => ({ do: 'delete', contact, at });

const filter = (relation: string): SiteAction => ({ do: 'filter', relation });
const TEST: SiteAction = { do: 'test' };

const ANY: readonly PushFault[] = ['crash', 'failure', 'delay', 'wipe'];

const WATCHED = {
  photos: [
    { id: '9', at: 20 },
    { id: '10', at: 10 },
  ],
  isWatched: true,
  shows: 'refreshed',
  notifiers: 2,
  faults: ANY,
  faultsAtMost: 0,
} as const satisfies Partial<PushScenario>;

const BOUNDED = {
  photos: [
    { id: '9', at: 20 },
    { id: '10', at: 10 },
    { id: '8', at: 9 },
    { id: '7', at: 8 },
  ],
  head: { most: 3, depth: 2 },
} as const satisfies Partial<PushScenario>;

/** Watches: two uploads in the opposite order of their times, a deletion, two notifiers, a watch that is created meanwhile. */
export const PUSH_SCENARIOS: readonly PushScenario[] = [
  { ...WATCHED, name: 'watched', actions: [up('9', 40), up('10', 30)] },
  { ...WATCHED, name: 'watched, shown before its task', actions: [up('9', 40), up('10', 30)], shows: 'committed' },
  { ...WATCHED, name: 'watched, a deletion', actions: [up('9', 40), gone('9', 40)], faultsAtMost: 1 },
  {
    ...WATCHED,
    name: 'watched, a photo dated ahead',
    areInOrder: true,
    notifiers: 1,
    actions: [up('9', 2_000), gone('9', 2_000), up('9', 40)],
    faultsAtMost: 1,
  },
  {
    ...WATCHED,
    ...BOUNDED,
    name: 'watched, more than a head shows',
    actions: [up('1', 31), up('2', 32), up('3', 33), up('4', 34)],
    areInOrder: true,
    notifiers: 1,
    faultsAtMost: 1,
  },
  {
    ...WATCHED,
    ...BOUNDED,
    name: 'watched, one late below others',
    actions: [up('1', 40), up('2', 50), up('3', 30)],
    notifiers: 1,
  },
  { ...WATCHED, name: 'watched, one contact twice', actions: [up('9', 30), up('9', 40)], faultsAtMost: 1 },
  { ...WATCHED, name: 'watched, any fault', actions: [up('9', 40), up('10', 30)], faultsAtMost: 1 },
  {
    ...WATCHED,
    name: 'watched, one notifier, two faults',
    notifiers: 1,
    actions: [up('9', 40), up('10', 30)],
    faultsAtMost: 2,
  },
  { ...WATCHED, name: 'subscribing', isWatched: false, actions: [up('9', 40)] },
  { ...WATCHED, name: 'subscribing, any fault', isWatched: false, actions: [up('9', 40)], faultsAtMost: 1 },
  {
    ...WATCHED,
    name: 'subscribing, shown before its task',
    isWatched: false,
    shows: 'committed',
    notifiers: 1,
    actions: [up('9', 40), gone('9', 20)],
  },
  { ...WATCHED, name: 'another filter', actions: [up('10', 40), filter('friends')] },
  {
    ...WATCHED,
    name: 'another filter, and back',
    actions: [up('9', 40), filter('friends'), filter('any')],
    notifiers: 1,
  },
  {
    ...WATCHED,
    name: 'another filter, any fault',
    notifiers: 1,
    actions: [up('9', 30), up('10', 40), filter('friends')],
    faultsAtMost: 1,
  },
  { ...WATCHED, name: 'tested', notifiers: 1, actions: [up('9', 40), TEST], faultsAtMost: 1 },
  { ...WATCHED, name: 'tested while subscribing', isWatched: false, notifiers: 1, actions: [up('9', 40), TEST] },
  {
    ...WATCHED,
    name: 'subscribing, filtered and tested',
    isWatched: false,
    notifiers: 1,
    actions: [up('10', 40), filter('friends'), TEST],
  },
  {
    ...WATCHED,
    name: 'subscribing after another watch',
    isWatched: false,
    wasWatched: true,
    notifiers: 1,
    actions: [up('9', 40)],
  },
];

/** In how many orders the actions may come. */
export function ordersOf({ actions }: PushScenario): number {
  return actions.reduce((orders, _action, i) => orders * (i + 1), 1);
}
