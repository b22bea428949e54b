import type { Id } from '../../src/contracts/id.ts';
import { deletePhoto, uploadPhoto } from '../../src/tools/reference-site/photos.ts';
import { addContact, changeRelationship, removeContact } from '../../src/tools/reference-site/relationships.ts';
import { type RepairSite, userId } from './repair-site.ts';

/** Does random actions of a site until `isOver`; `onAction` is called after each action. */
export async function act(
  { pool, users }: RepairSite,
  { isOver, onAction }: { readonly isOver: () => boolean; readonly onAction: () => void },
): Promise<void> {
  const any = <T>(of: readonly T[]) => of[Math.floor(Math.random() * of.length)] as T;
  const strangers = Array.from({ length: 12 }, (_, i) => userId(users.length + 1 + i));
  const grant = () => ({ friend: Math.random() < 0.5, family: Math.random() < 0.5 });
  const photos: Id[] = [];
  const actions = [
    async () =>
      photos.push(await uploadPhoto(pool, any(strangers), any([0, 1, 2, 3, 4]), 1 + Math.floor(Math.random() * 9_000))),
    async () => photos.length > 0 && (await deletePhoto(pool, any(photos))),
    () => addContact(pool, any(users), any(strangers), grant()),
    () => removeContact(pool, any(users), any(strangers)),
    () => addContact(pool, any(strangers), any(users), grant()),
    () => changeRelationship(pool, any(strangers), any(users), grant()),
  ];
  for (; !isOver(); onAction()) await any(actions)();
}
