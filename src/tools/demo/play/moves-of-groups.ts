import type { Id } from '../../../contracts/id.ts';
import { joinGroup, leaveGroup } from '../../reference-site/groups.ts';
import { addToPool, removeFromPool } from '../../reference-site/pools.ts';
import { pick } from '../random.ts';
import { expectDone, type Move, type Stage, withPhoto } from './stage.ts';

/** Joins a group or, half of the time, a former one again. */
const join: Move = (stage) => {
  const user = stage.anyPlayer();
  const wanted = stage.random() < 0.5 ? anyGroupOf(stage, user, false) : stage.anyGroup();
  return withMembership(stage, user, wanted, async ({ pool, journal }, isMember, group) => {
    if (!isMember) await journal.groups.changeMembership(user, group, true, () => joinGroup(pool, user, group));
  });
};

const leave: Move = (stage) => {
  const user = stage.anyPlayer();
  return withMembership(stage, user, anyGroupOf(stage, user, true), async ({ pool, journal }, _isMember, group) => {
    await journal.groups.changeMembership(user, group, false, async () =>
      expectDone(await leaveGroup(pool, user, group)),
    );
  });
};

/** Any photo of theirs: only the public ones are shown in the group. */
const addPhoto: Move = (stage) => {
  const group = stage.anyGroup();
  return withPhoto(stage, async ({ pool, journal: { groups } }, photo, id) => {
    if (groups.pooledIn(group).some((pooled) => pooled.photo === photo)) return;
    const at = Date.now();
    await groups.addToPool(group, photo, at, async () => expectDone(await addToPool(pool, group, id, at)));
  });
};

const removePhoto: Move = async (stage) => {
  const { pool, random } = stage;
  const { groups } = stage.journal;
  const group = stage.anyGroup();
  const pooled = groups.pooledIn(group);
  if (pooled.length === 0) return;
  const { photo } = pick(random, pooled);
  await stage.alone(photo, async () => {
    const stillIn = groups.pooledIn(group).find((one) => one.photo === photo);
    const { id } = photo;
    if (stillIn === undefined || id === undefined) return;
    await groups.removeFromPool(stillIn, async () => expectDone(await removeFromPool(pool, group, id)));
  });
};

async function withMembership(
  stage: Stage,
  user: Id,
  group: Id | undefined,
  change: (stage: Stage, isMember: boolean, group: Id) => Promise<void>,
): Promise<void> {
  if (group === undefined) return;
  const thing = `${user} in ${group}`;
  await stage.alone(thing, () => change(stage, stage.journal.groups.isMember(user, group), group));
}

function anyGroupOf(stage: Stage, user: Id, isMember: boolean): Id | undefined {
  const groups = stage.journal.groups.groupsOf(user).filter(([, latest]) => latest === isMember);
  return groups.length === 0 ? undefined : pick(stage.random, groups)[0];
}

/** What people do with groups, each as often as it happens to twenty changes of contacts and photos. */
export const MOVES_OF_GROUPS: readonly (readonly [Move, number])[] = [
  [join, 3],
  [leave, 2],
  [addPhoto, 3],
  [removePhoto, 1],
];
