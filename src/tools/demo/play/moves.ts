import type { Id } from '../../../contracts/id.ts';
import { changeVisibility, deletePhoto, uploadPhoto } from '../../reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../reference-site/relationships.ts';
import { anyAudience, anyGrant } from '../graph/players-graph.ts';
import { between, pick } from '../random.ts';
import type { JournalPhoto, PhotoState, RelationshipState } from './journal.ts';
import type { Stage } from './stage.ts';

/** Something that people do on the site, as its own transaction. Nothing, where there is nothing to do it with. */
export type Move = (stage: Stage) => Promise<void>;

/** Of ten uploads two are reported late, by up to a day. */
const LATE = 0.2;
const DAY_MS = 86_400_000;

export const upload: Move = async (stage) => {
  const { pool, journal, random } = stage;
  const owner = stage.anyPlayer();
  const audience = anyAudience(random);
  const at = Date.now() - (random() < LATE ? between(random, 1_000, DAY_MS) : 0);
  await journal.upload(owner, audience, at, () => uploadPhoto(pool, owner, audience, at));
};

export const deleteOne: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal }, photo, id) => {
    await journal.changePhoto(photo, undefined, async () => expectDone(await deletePhoto(pool, id)));
  });

export const showToOthers: Move = (stage) =>
  withPhoto(stage, async ({ pool, journal, random }, photo, id) => {
    const audience = anyAudience(random);
    if (audience === photo.timeline.latest) return;
    await journal.changePhoto(photo, audience, async () => expectDone(await changeVisibility(pool, id, audience)));
  });

/** A new contact or, as often as there is one, a former contact again. */
export const add: Move = (stage) => {
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

export const remove: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal }, before, contact) => {
    await journal.changeRelationship(user, contact, { ...before, active: false }, async () =>
      expectDone(await removeContact(pool, user, contact)),
    );
  });
};

/** Friend or family granted or withdrawn: the contact sees more or fewer of the user's photos. */
export const grantOther: Move = (stage) => {
  const user = stage.anyPlayer();
  return withPair(stage, user, anyContact(stage, user, true), async ({ pool, journal, random }, before, contact) => {
    const grant = random() < 0.5 ? { friend: !before.friend, family: before.family } : anyGrant(random);
    await journal.changeRelationship(user, contact, { active: true, ...grant }, async () =>
      expectDone(await changeRelationship(pool, user, contact, grant)),
    );
  });
};

async function withPhoto(
  stage: Stage,
  change: (stage: Stage, photo: JournalPhoto, id: Id) => Promise<void>,
): Promise<void> {
  const photos = stage.journal.photosOf(stage.anyPlayer());
  if (photos.length === 0) return;
  const photo = pick(stage.random, photos);
  await stage.alone(photo, async () => {
    const state: PhotoState = photo.timeline.latest;
    if (photo.id !== undefined && state !== undefined) await change(stage, photo, photo.id);
  });
}

async function withPair(
  stage: Stage,
  user: Id,
  contact: Id | undefined,
  change: (stage: Stage, before: RelationshipState, contact: Id) => Promise<void>,
): Promise<void> {
  if (contact === undefined || contact === user) return;
  await stage.alone(`${user} ${contact}`, () => change(stage, stage.journal.relationship(user, contact), contact));
}

/** One of the user's contacts, or of the former ones. */
function anyContact(stage: Stage, user: Id, active: boolean): Id | undefined {
  const contacts = stage.journal.contactsOf(user).filter(([, latest]) => latest.active === active);
  return contacts.length === 0 ? undefined : pick(stage.random, contacts)[0];
}

/** The play knows what is there, so the site must have done what it was asked. */
function expectDone(done: boolean | string | null): void {
  if (done === false || done === null) throw new Error('the site did not do what the play asked of it');
}
