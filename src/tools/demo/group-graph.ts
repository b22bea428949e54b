import type { Id } from '../../contracts/id.ts';
import { idsFrom } from '../reference-site/load-graph.ts';
import type { GroupGraph } from '../reference-site/load-groups.ts';
import { between, powerLaw, type Random } from './random.ts';

export interface GroupsOptions {
  /** A quarter of them are in groups from the start. */
  readonly players: readonly Id[];
  /** `uploadedAt`: ms since 1970 UTC. */
  readonly photos: readonly { readonly id: Id; readonly uploadedAt: number }[];
  readonly random: Random;
  /** ms since 1970 UTC: the photos were added before. */
  readonly now: number;
}

/** One in this many players is in groups. */
const MEMBERS = 4;

/** Players per group. */
const PLAYERS = 25;
const FEWEST_GROUPS = 2;
const FEWEST_OF_A_MEMBER = 1;
const MOST_OF_A_MEMBER = 100;

/** Share of the photos that are in a pool, and of those the share that is in a second one. */
const POOLED = 0.3;
const POOLED_TWICE = 0.2;

/** Groups of the players: most players are in a few, a few in many, and some groups have many members. */
export function groupsGraph({ players, photos, random, now }: GroupsOptions): GroupGraph {
  const groups = idsFrom(1n, Math.max(FEWEST_GROUPS, Math.ceil(players.length / PLAYERS)));
  const members = players.filter((_, position) => position % MEMBERS === 0);
  const memberships = members.flatMap((user) => {
    const wanted = Math.min(powerLaw(random, FEWEST_OF_A_MEMBER, MOST_OF_A_MEMBER), Math.ceil(groups.length / 2));
    return drawn(groups, wanted, random).map((group) => ({ user, group }));
  });
  const pooled = photos
    .filter(() => random() < POOLED)
    .flatMap(({ id: photo, uploadedAt }) =>
      drawn(groups, random() < POOLED_TWICE ? 2 : 1, random).map((group) => {
        return { group, photo, addedAt: between(random, Math.min(uploadedAt, now), now) };
      }),
    );
  return { groups: groups.map((id) => ({ id, name: `group ${id}` })), memberships, pooled };
}

/** So many different groups. Favours the first ones strongly, so that the numbers of members follow a power law too. */
function drawn(groups: readonly Id[], wanted: number, random: Random): Id[] {
  const chosen = new Set<Id>();
  while (chosen.size < wanted) chosen.add(groups[Math.floor(groups.length * random() ** 2)] as Id);
  return [...chosen];
}
