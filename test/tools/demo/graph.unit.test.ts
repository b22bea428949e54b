import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { castGraph, playersGraph } from '../../../src/tools/demo/graph.ts';
import { groupsGraph } from '../../../src/tools/demo/group-graph.ts';
import { powerLaw, seededRandom } from '../../../src/tools/demo/random.ts';
import { idsFrom } from '../../../src/tools/reference-site/load-graph.ts';

const NOW = 1_700_000_000_000;

const countBy = <T>(items: Iterable<T>, key: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};

describe('a power law', () => {
  test.prop([fc.integer(), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 5_000 })])(
    'stays within its ends',
    (seed, least, most) => {
      const random = seededRandom(seed);
      for (let i = 0; i < 200; i++) {
        const drawn = powerLaw(random, least, most);
        expect(drawn).toBeGreaterThanOrEqual(least);
        expect(drawn).toBeLessThanOrEqual(most);
      }
    },
  );

  test('halves the share above when the value doubles', () => {
    const random = seededRandom(7);
    const drawn = Array.from({ length: 100_000 }, () => powerLaw(random, 1, 1_000_000));
    const above = (value: number) => drawn.filter((one) => one >= value).length;
    for (const value of [2, 8, 32, 128]) expect(above(2 * value) / above(value)).toBeCloseTo(0.5, 1);
  });
});

describe('the graph of the players', () => {
  const players = idsFrom(1n, 2_000);
  const graph = playersGraph(players, seededRandom(1), NOW);

  test('names only players, no pair twice, nobody as a contact of their own', () => {
    const contacts = [...graph.contacts];
    expect(contacts.every(({ user, contact }) => user !== contact && Number(contact) <= 2_000)).toBe(true);
    expect(countBy(contacts, ({ user, contact }) => `${user} ${contact}`).size).toBe(contacts.length);
  });

  test('gives most people few contacts, and a few people many', () => {
    const sizes = [...countBy(graph.contacts, ({ user }) => user).values()].sort((a, b) => a - b);
    expect(sizes.length).toBe(2_000);
    expect(sizes[1_000]).toBeLessThan(10);
    expect(sizes.at(-1)).toBeGreaterThan(200);
  });

  test('gives everybody a photo, and photos for every audience', () => {
    expect(countBy(graph.photos, ({ owner }) => owner).size).toBe(2_000);
    expect(countBy(graph.photos, ({ audience }) => String(audience)).size).toBe(5);
    expect([...graph.photos].every(({ uploadedAt }) => uploadedAt < NOW)).toBe(true);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(playersGraph(players, seededRandom(1), NOW)).toEqual(graph);
    expect(playersGraph(players, seededRandom(2), NOW)).not.toEqual(graph);
  });
});

describe('the groups of the players', () => {
  const players = idsFrom(1n, 1_000);
  const photos = idsFrom(1n, 3_000).map((id, i) => ({ id, uploadedAt: NOW - i }));
  const groupsOf = (seed: number) => groupsGraph({ players, photos, random: seededRandom(seed), now: NOW });
  const { groups, memberships, pooled } = groupsOf(1);

  test('have members and photos, none twice, and name only groups that are there', () => {
    const known = new Set(groups.map(({ id }) => id));
    expect([...memberships, ...pooled].every(({ group }) => known.has(group))).toBe(true);
    expect(countBy(memberships, ({ user, group }) => `${user} ${group}`).size).toBe(memberships.length);
    expect(countBy(pooled, ({ photo, group }) => `${photo} ${group}`).size).toBe(pooled.length);
    expect(Math.max(...countBy(pooled, ({ photo }) => photo).values())).toBe(2);
  });

  test('give most members few groups, a few members many, and some photos their own time in the pool', () => {
    const sizes = [...countBy(memberships, ({ user }) => user).values()].sort((a, b) => a - b);
    expect(sizes).toHaveLength(250);
    expect(sizes[125]).toBeLessThan(5);
    expect(sizes.at(-1)).toBe(groups.length / 2);
    const uploadedAt = new Map(photos.map((photo) => [photo.id, photo.uploadedAt]));
    expect(pooled.every(({ photo, addedAt }) => addedAt >= (uploadedAt.get(photo) ?? NOW) && addedAt <= NOW)).toBe(
      true,
    );
  });

  test('are the same for the same seed, and there are two for two players', () => {
    expect(groupsOf(1)).toEqual({ groups, memberships, pooled });
    expect(groupsOf(2)).not.toEqual({ groups, memberships, pooled });
    const few = groupsGraph({ players: ['1', '2'], photos, random: seededRandom(1), now: NOW });
    expect(few.groups).toHaveLength(2);
  });
});

describe('the cast', () => {
  test.each([
    { players: 50, most: 1_500, sizes: [10, 1_000, 1_500] },
    { players: 3_000, most: 1_200, sizes: [10, 1_000, 1_200] },
    { players: 20, most: 40, sizes: [10, 40] },
  ])('has users with exactly $sizes contacts among $players players', ({ players, most, sizes }) => {
    const options = { players: idsFrom(1n, players), firstNewId: 9_007_199_254_740_993n, most };
    const { cast, graph } = castGraph({ ...options, random: seededRandom(3), now: NOW });
    const contacts = countBy(graph.contacts, ({ user }) => user);
    expect(cast.measured.map(({ contacts: size }) => size)).toEqual(sizes);
    for (const { user, contacts: size } of cast.measured) expect(contacts.get(user)).toBe(size);
    expect(countBy(graph.contacts, ({ contact }) => contact).get(cast.star)).toBe(most / 2);
    expect(cast.followersOfStar).toHaveLength(most / 2);
  });

  test('adds every user whom its relationships name, and names no pair twice', () => {
    const players = idsFrom(1n, 50);
    const { graph } = castGraph({ players, firstNewId: 51n, most: 200, random: seededRandom(3), now: NOW });
    const known = new Set([...players, ...[...graph.users].map(({ id }) => id)]);
    expect([...graph.contacts].every(({ user, contact }) => known.has(user) && known.has(contact))).toBe(true);
    expect([...graph.contacts].every(({ user, contact }) => user !== contact)).toBe(true);
    expect(countBy(graph.contacts, ({ user, contact }) => `${user} ${contact}`).size).toBe([...graph.contacts].length);
  });
});
