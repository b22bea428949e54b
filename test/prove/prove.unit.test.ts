import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTATIONS, mutationOf } from '../../prove/mutations/mutations.ts';
import { OWNERS_SCENARIOS } from '../../prove/owners/world.ts';
import { applyPatch } from '../../prove/patch.ts';
import { THREADS } from '../../prove/pool.ts';
import { mutateAll, searchAll } from '../../prove/prove.ts';
import { doCommand } from '../../prove/redis/commands.ts';
import { ModelRedis } from '../../prove/redis/model-redis.ts';
import { QUICK } from '../../prove/scenarios/scenarios.ts';
import { SERVERS_SCENARIOS } from '../../prove/servers/world.ts';
import { shortOrLong } from '../support/length.ts';

/** A part of `npm run prove`, small enough for every run of the tests. */

const quietly = { threads: THREADS, print: () => undefined };

/** Each is caught in a second or so: some of each part of the protocol. CI removes all of them. */
const RULES = [
  'compare-and-set in apply',
  'second read of the pairs in a fan-out',
  'floor',
  'removal of what fell to or below the floor',
  'publishing after the commit',
  'a rebuild that is due precedes the acknowledgement',
  'a hold in the delay queue is ended only by the worker that took it',
  'a fan-out covers every pair of its owner',
  'no index is built in a suspended epoch',
  'each kind has keys of its own',
  'a watch stores the head that it was told',
  'what another server has marked as published is published once more',
  'a write of its own, the fence, precedes the hints of what capture has read',
];

describe('every interleaving of the small scenarios', { timeout: 600_000 }, () => {
  it('ends right', async () => {
    const small = QUICK.map(({ part, scenario: { name } }) => ({ part, name }));
    const ofPush = ['watched', 'watched, shown before its task'].map((name) => ({ part: 'e', name }) as const);
    const few = SERVERS_SCENARIOS.filter(({ servers }) => servers !== 'pair');
    const ofServers = shortOrLong(few, SERVERS_SCENARIOS).map(({ name }) => ({ part: 'g', name }) as const);
    const ofOthers = [{ part: 'h', name: 'captured' } as const, { part: 'i', name: 'two masters' } as const];
    const ofOwners = shortOrLong(
      ['a copy of MySQL, in use'],
      OWNERS_SCENARIOS.map(({ name }) => name),
    );
    const others = [...ofPush, ...ofServers, ...ofOthers, ...ofOwners.map((name) => ({ part: 'j', name }) as const)];
    const { bad, states, scenarios } = await searchAll([...small, ...others], { ...quietly, budget: 1 });
    expect(scenarios.flatMap(({ scenario, violation }) => (violation ? [{ scenario, violation }] : []))).toEqual([]);
    expect(bad).toBe(0);
    expect(states).toBeGreaterThan(250_000);
    expect(scenarios.every(({ cut, at_rest }) => !cut && at_rest > 0)).toBe(true);
  });
});

describe('a rule taken out', { timeout: 600_000 }, () => {
  it('leads to a wrong history', async () => {
    const { missed, outdated, rules } = await mutateAll(RULES.map(mutationOf), quietly);
    expect([...missed, ...outdated]).toEqual([]);
    expect(rules.map(({ rule }) => rule)).toEqual(RULES);
  });

  it('is shown by one of the shortest histories, step by step', async () => {
    const { rules } = await mutateAll([mutationOf('compare-and-set in apply')], quietly);
    const [{ violation, trace } = { violation: undefined, trace: undefined }] = rules;
    expect(violation?.rule).toBe('I1');
    expect(trace?.events).toHaveLength(7);
    expect(trace?.events[0]).toMatch(/committed, then published as p1$/);
    expect(trace?.end).toHaveLength(1);
  });

  it.each(MUTATIONS)('fits the product: $rule', ({ patches }) => {
    const sources = new Map<string, string>();
    for (const patch of patches) {
      const source =
        sources.get(patch.file) ?? readFileSync(new URL(`../../src/${patch.file}`, import.meta.url), 'utf8');
      sources.set(patch.file, applyPatch(source, patch));
    }
    expect(patches.every(({ from, to }) => from !== to)).toBe(true);
  });

  it('is no longer missed where it is caught, although a reason is written', async () => {
    const { outdated } = await mutateAll([{ ...mutationOf('floor'), notCaught: 'nothing needs it' }], quietly);
    expect(outdated).toEqual(['floor']);
  });

  it('is missed only where the reason is written', () => {
    const known = MUTATIONS.flatMap(({ notCaught }) => notCaught ?? []);
    expect(known).toHaveLength(3);
    expect(known.every((reason) => reason.length > 40)).toBe(true);
  });
});

describe('the model of Redis', () => {
  const redis = new ModelRedis();
  redis.defineCommand('union', "return redis.call('ZUNION', 1, KEYS[1])");

  it('names a command that it lacks, of the client and of a script', () => {
    expect(() => redis.client.zrank('z', '7')).toThrow('no command zrank');
    expect(() => redis.runScript('union', ['z'], [])).toThrow('no command ZUNION');
  });

  it.each([
    ['ZADD', 'z', 'GT', '5', '7'],
    ['ZRANGE', 'z', '0', '-1', 'REV'],
    ['ZRANGEBYSCORE', 'z', '(5', '+inf'],
    ['SET', 'm', '7', 'GET'],
  ])('names the option of %s that it lacks', (...words) => {
    expect(() => doCommand(redis.keyspace, words)).toThrow(`the model of ${words[0]} does not know`);
  });
});

describe('a patch', () => {
  const patch = { file: 'a.ts', from: 'one', to: 'two' };

  it('replaces its text', () => {
    expect(applyPatch('just one', patch)).toBe('just two');
  });

  it.each([
    ['another', 'does not occur'],
    ['one and one', 'occurs 2 times'],
  ])('that finds %s fails loudly', (source, why) => {
    expect(() => applyPatch(source, patch)).toThrow(why);
  });
});
