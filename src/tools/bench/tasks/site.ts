import { randomUUID } from 'node:crypto';
import type { Pool } from 'mysql2/promise';
import pLimit from 'p-limit';
import { contactsAmong } from '../../../app/jobs.ts';
import type { Task } from '../../../contracts/task.ts';
import { chunks } from '../../../timing/batches.ts';
import type { OutgoingTask } from '../../../transport/task-publisher.ts';
import type { NewContact } from '../../reference-site/load-graph.ts';
import { uploadPhoto } from '../../reference-site/photos.ts';
import type { Ground } from '../bench.ts';
import { buildIndexes, type Circle, contactsOf, gatherCircle, TURN_OVER } from '../circle.ts';
import { prime, recencyLine, type TaskLine } from './line.ts';

export interface SiteSize {
  readonly users: number;
  /** Of each user, and followers of each. */
  readonly contacts: number;
  /** Relationships that change in one turn, each with a contact task. */
  readonly contactTasks: number;
  readonly uploads: number;
  readonly consumers: number;
}

export interface TaskSite {
  readonly line: TaskLine;
  readonly changeContacts: () => Promise<OutgoingTask[]>;
  /** As many tasks without a change. */
  readonly contactTasks: () => OutgoingTask[];
  readonly upload: () => Promise<OutgoingTask[]>;
  readonly check: () => Promise<void>;
}

const UPLOADS_AT_ONCE = 8;

const CHECKED = 500;

export async function openSite(ground: Ground, size: SiteSize): Promise<TaskSite> {
  const { stores, signal } = ground;
  const circle = await gatherCircle(stores, { count: size.users, contacts: size.contacts });
  const pairs = circle.users.flatMap((_, position) => contactsOf(circle.users, position, size.contacts));
  const every = Math.floor(pairs.length / size.contactTasks);
  const changing = pairs.filter((_, position) => position % every === 0).slice(0, size.contactTasks);
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

/** Checks that nobody wins by leaving work undone. */
async function check({ stores, signal }: Ground, { users }: Circle): Promise<void> {
  const { counts } = await contactsAmong(stores.jobs).check.indexes(users.slice(0, CHECKED), signal);
  if (counts.wrong + counts.unsettled + counts.cold === 0) return;
  throw new Error(`not every task was applied: ${JSON.stringify(counts)}`);
}

const ROWS_AT_ONCE = 2_000;

/**
 * Relationships that all change at once: half of them end, half begin. The next change reverses that, so it can be
 * repeated.
 */
export class Relationships {
  readonly #pool: Pool;
  readonly #pairs: readonly NewContact[];
  #turns = 0;

  private constructor(pool: Pool, pairs: readonly NewContact[]) {
    this.#pool = pool;
    this.#pairs = pairs;
  }

  /** Ends every other pair without a task: call it before the indexes are built. */
  static async of(pool: Pool, pairs: readonly NewContact[]): Promise<Relationships> {
    const relationships = new Relationships(pool, pairs);
    await relationships.#turnOver(pairs.filter((_, position) => isOffAtFirst(position)));
    return relationships;
  }

  async change(): Promise<OutgoingTask[]> {
    await this.#turnOver(this.#pairs);
    this.#turns++;
    return this.tasks();
  }

  /** The tasks of the last change. */
  tasks(): OutgoingTask[] {
    return this.#pairs.map(({ user, contact }, position) => {
      const wasOff = isOffAtFirst(position);
      const isOn = wasOff === (this.#turns % 2 === 1);
      const version = String(1 + this.#turns + (wasOff ? 1 : 0));
      return outgoing({ type: isOn ? 'recency.contact.added' : 'recency.contact.removed', user, contact, version });
    });
  }

  async #turnOver(pairs: readonly NewContact[]): Promise<void> {
    for (const some of chunks(pairs, ROWS_AT_ONCE)) {
      await this.#pool.execute(TURN_OVER, [JSON.stringify(some.map(({ user, contact }) => [user, contact]))]);
    }
  }
}

function isOffAtFirst(position: number): boolean {
  return position % 2 === 1;
}

const SOURCE = '/recency/bench';

export function outgoing(task: Task): OutgoingTask {
  return { task, id: randomUUID(), source: SOURCE, time: Date.now() };
}
