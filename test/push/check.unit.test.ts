import { describe, expect, it } from 'vitest';
import type { KindName } from '../../src/contracts/kind.ts';
import type { Told, Watch } from '../../src/contracts/watch.ts';
import { check } from '../../src/push/check.ts';
import { type CheckSteps, runCheck } from '../../src/push/check-steps.ts';
import type { Head } from '../../src/push/told.ts';

const NOW = 1_000;

const WATCH: Watch = {
  ...{ id: '1', user: '42', kinds: ['contacts', 'groups'], relation: 'friends', muted: [], intervalMs: 0 },
  ...{ channel: 'kafka', secrets: [], ended: undefined, told: {}, outgoing: undefined, version: '1' },
  ...{ notifiedAt: undefined, dueAt: undefined },
};

/** A watch that is checked again and again, and delivered to. @param heads by kind and relation, and without one as `none` */
function checked(watch: Watch, heads: Record<string, Head>, onDelivery = (_id: string): unknown => undefined) {
  const state = { watch };
  const steps: Partial<CheckSteps> = {
    watches: async () => [state.watch],
    heads: async (asked) => asked.map(({ kind, relation }) => heads[`${kind} ${relation}`]),
    save: async (saves) => {
      for (const save of saves) {
        const version = String(Number(state.watch.version) + 1);
        state.watch = { ...state.watch, ...save, version };
      }
      return new Map(saves.map(({ id }) => [id, state.watch.version]));
    },
    again: async () => undefined,
  };
  return async (kinds: readonly KindName[] = ['contacts', 'groups']) => {
    const deliveries = await runCheck(check(['1'], { now: NOW, most: 6, kinds: new Set(kinds) }), steps);
    for (const { notification } of deliveries) onDelivery(notification.id);
    for (const { told } of deliveries) state.watch = { ...state.watch, told, outgoing: undefined, dueAt: undefined };
    return deliveries.flatMap(({ notification }) =>
      notification.sources.map(({ kind, id, at }) => `${kind}/${id}@${at}`),
    );
  };
}

const head = (...keys: [id: string, at: number][]): Head => ({
  entries: keys.map(([id, at]) => ({ id, at })),
  reach: undefined,
  floor: undefined,
});

describe('a watch of friends and of groups', () => {
  it('is told of every group: only contacts are friends', async () => {
    const heads = { 'contacts friends': head(), 'groups any': head(['7', 1]), 'groups friends': head() };
    const look = checked(WATCH, heads);
    expect(await look()).toEqual([]);
    heads['groups any'] = head(['7', 2], ['8', 1]);
    expect(await look()).toEqual(['groups/7@2', 'groups/8@1']);
    expect(await look()).toEqual([]);
  });

  it('is told that there is more under another id each time, also where nothing that is shown is new, or all is muted', async () => {
    const ids: string[] = [];
    const entries = [
      { id: '6', at: 8 },
      { id: '7', at: 5 },
    ];
    const watch: Watch = {
      ...{ ...WATCH, kinds: ['contacts'], muted: ['9'] },
      told: { contacts: { entries, floor: { id: '9', at: 1 }, relation: 'friends' } },
    };
    const heads: Record<string, Head> = {};
    const look = checked(watch, heads, (id) => ids.push(id));
    for (const known of entries.toReversed()) {
      heads['contacts friends'] = { entries: [known], reach: known, floor: known };
      expect(await look()).toEqual([]);
    }
    for (const at of [10, 20]) {
      const lowest = { id: '8', at };
      heads['contacts friends'] = { entries: [lowest], reach: lowest, floor: lowest };
      expect(await look()).toEqual([`contacts/8@${at}`]);
    }
    for (const at of [30, 40]) {
      const muted = { id: '9', at };
      heads['contacts friends'] = { entries: [muted], reach: muted, floor: muted };
      expect(await look()).toEqual([]);
    }
    expect(new Set(ids).size).toBe(6);
  });

  it('is told, once groups are in use again, of what was new meanwhile and of nothing else', async () => {
    const heads = { 'contacts friends': head(), 'groups any': head(['7', 1], ['6', 1]) };
    const look = checked(WATCH, heads);
    expect(await look()).toEqual([]);
    heads['contacts friends'] = head(['9', 2]);
    heads['groups any'] = head(['7', 2], ['6', 1]);
    expect(await look(['contacts'])).toEqual(['contacts/9@2']);
    expect(await look([])).toEqual([]);
    expect(await look()).toEqual(['groups/7@2']);
  });

  it('keeps what it was told of groups while they are not in use, also when contacts are recorded', async () => {
    const groups = { entries: [{ id: '7', at: 1 }], floor: { id: '7', at: 1 }, relation: 'any' } as const;
    const heads = { 'contacts friends': head(['9', 2]), 'groups any': head(['7', 1], ['8', 2]) };
    const look = checked({ ...WATCH, told: { groups } }, heads);
    expect(await look(['contacts'])).toEqual([]);
    expect(await look()).toEqual(['groups/8@2']);
  });

  it.for([
    ['friends, as a version before recorded it', { entries: [], floor: undefined, relation: 'friends' }],
    ['nothing, as an older version did', { entries: [], floor: undefined }],
  ] as const)('counts groups as told that were filtered by %s', async ([, groups]) => {
    const told: Told = { contacts: { entries: [], floor: undefined, relation: 'friends' }, groups };
    const heads = { 'contacts friends': head(), 'groups any': head(['7', 1]), 'groups friends': head() };
    const look = checked({ ...WATCH, told }, heads);
    expect(await look()).toEqual([]);
    heads['groups any'] = head(['7', 2]);
    expect(await look()).toEqual(['groups/7@2']);
  });
});
