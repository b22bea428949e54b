import type { Id } from '../../../contracts/id.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../reference-site/relationships.ts';
import { anyAudience, anyGrant } from '../graph.ts';
import { between, pick } from '../random.ts';
import type { RelationshipState } from './journal.ts';
import { expectDone, type Move, type Stage, withPhoto } from './stage.ts';

/** Share of the uploads that are reported late, by up to a day. */
const LATE = 0.2;
const DAY_MS = 86_400_000;

const upload: Move = async (stage) => {
  const { pool, journal, random } = stage;
  const owner = stage.anyPlayer();
  const audience = anyAudience(random);
  const at = Date.now() - (random() < LATE ? between(random, 1_000, DAY_MS) : 0);
  await journal.upload(owner, audience, at, () => uploadPhoto(pool, owner, audience, at));
};

const deleteOne: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal }, photo, id) => {
    await journal.changePhoto(photo, undefined, async () => expectDone(await deletePhoto(pool, id)));
  });

const showToOthers: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal, random }, photo, id) => {
    const audience = anyAudience(random);
    if (audience === photo.timeline.latest) return;
    await journal.changePhoto(photo, audience, async () => expectDone(await changeVisibility(pool, id, audience)));
  });

/** Adds a new contact or, half of the time, a former one again. */
const add: Move = (stage) => {
  const user = stage.anyPlayer();
  const wanted = stage.random() < 0.5 ? anyContact(stage, user, false) : stage.anyPlayer();
  return withPair(stage, user, wanted, async ({ pool, journal, random }, before, contact) => {
    if (before.active) return;
    const grant = anyGrant(random);
    await journal.changeRelationship(user, contact, { active: true, ...grant }, () =>
      addContact(pool, user, contact, grant),
    );
  });
};

const remove: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal }, before, contact) => {
    await journal.changeRelationship(user, contact, { ...before, active: false }, async () =>
      expectDone(await removeContact(pool, user, contact)),
    );
  });
};

/** Changes friend or family: the contact sees more or fewer of the user's photos. */
const grantOther: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal, random }, before, contact) => {
    const grant = random() < 0.5 ? { friend: !before.friend, family: before.family } : anyGrant(random);
    await journal.changeRelationship(user, contact, { active: true, ...grant }, async () =>
      expectDone(await changeRelationship(pool, user, contact, grant)),
    );
  });
};

async function withPair(
  stage: Stage,
  user: Id,
  contact: Id | undefined,
  change: (stage: Stage, before: RelationshipState, contact: Id) => Promise<void>,
): Promise<void> {
  if (contact === undefined || contact === user) return;
  await stage.alone(`${user} ${contact}`, () => change(stage, stage.journal.relationship(user, contact), contact));
}

function anyContact(stage: Stage, user: Id, active: boolean): Id | undefined {
  const contacts = stage.journal.contactsOf(user).filter(([, latest]) => latest.active === active);
  return contacts.length === 0 ? undefined : pick(stage.random, contacts)[0];
}

/** What people do with their contacts and photos, each as often as it happens of twenty times. */
export const MOVES_OF_CONTACTS: readonly (readonly [Move, number])[] = [
  [upload, 6],
  [deleteOne, 2],
  [showToOthers, 3],
  [add, 4],
  [remove, 2],
  [grantOther, 3],
];
