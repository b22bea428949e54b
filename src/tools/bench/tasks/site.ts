import pLimit from 'p-limit';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import { buildIndexes, type Circle, contactsOf, gatherCircle } from '../circle.ts';
import type { Ground } from '../ground.ts';
import { type Line, prime } from './line.ts';
import { recencyLine } from './lines.ts';
import { outgoing } from './outgoing.ts';
import { Relationships } from './relationships.ts';

export interface SiteSize {
  readonly users: number;
  /** Of each user, and followers of each. */
  readonly contacts: number;
  /** Relationships that change, and so contact tasks, in one turn. */
  readonly contactTasks: number;
  /** People who upload a photo in one turn. */
  readonly uploads: number;
  /** Processes. */
  readonly consumers: number;
}

/** A site with an index for each of its users, and the consumers that keep them. */
export interface Site {
  readonly line: Line;
  /** Changes relationships. @returns the tasks that say so */
  readonly changeContacts: () => Promise<OutgoingTask[]>;
  /** As many tasks, and no change. */
  readonly contactTasks: () => OutgoingTask[];
  /** @returns the tasks that say so */
  readonly upload: () => Promise<OutgoingTask[]>;
  /** @throws Error when an index is not what MySQL says */
  readonly check: () => Promise<void>;
}

const UPLOADS_AT_ONCE = 8;

/** Users whose indexes are compared with MySQL in the end. */
const CHECKED = 500;

export async function openSite(ground: Ground, size: SiteSize): Promise<Site> {
  const { stores, signal } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  const pairs = circle.users.flatMap((_, place) => contactsOf(circle.users, place, size.contacts));
  const every = Math.floor(pairs.length / size.contactTasks);
  const changing = pairs.filter((_, place) => place % every === 0).slice(0, size.contactTasks);
  const relationships = await Relationships.of(stores.pool, changing);
  const line = await recencyLine(ground, size.consumers);
  const harmless = pairs.slice(0, size.users).map((pair) => outgoing({ type: 'recency.contact.changed', ...pair }));
  await prime(line, harmless, signal);
  await buildIndexes(stores, circle.users);
  return {
    line,
    changeContacts: () => relationships.change(),
    contactTasks: () => relationships.tasks(),
    upload: () => uploadsBy(ground, circle.users.slice(0, size.uploads)),
    check: () => check(ground, circle),
  };
}

async function uploadsBy({ stores }: Ground, owners: readonly string[]): Promise<OutgoingTask[]> {
  const at = Date.now();
  const limit = pLimit(UPLOADS_AT_ONCE);
  return await Promise.all(
    owners.map((owner) =>
      limit(async () => {
        const photo = await uploadPhoto(stores.pool, owner, 0, at);
        return outgoing({ type: 'recency.photo.uploaded', owner, photo, at });
      }),
    ),
  );
}

/** Nobody may win by leaving work undone. */
async function check({ stores, signal }: Ground, { users }: Circle): Promise<void> {
  const { counts } = await stores.jobs.check.indexes(users.slice(0, CHECKED), signal);
  if (counts.wrong + counts.unsettled + counts.cold === 0) return;
  throw new Error(`not every task was applied: ${JSON.stringify(counts)}`);
}
