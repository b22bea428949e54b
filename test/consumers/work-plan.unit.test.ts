import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { planWork, type ReceivedTask } from '../../src/consumers/work-plan.ts';
import { GROUPS } from '../../src/contracts/kind.ts';
import type { Task } from '../../src/contracts/task.ts';
import { PAIRS_A_CALL } from '../../src/index/refresh.ts';

const id = fc.integer({ min: 1, max: 4 }).map(String);
const version = fc.option(fc.integer({ min: 1, max: 3 }).map(String), { nil: undefined });

const contactTask: fc.Arbitrary<Task> = fc
  .record({
    type: fc.constantFrom('recency.contact.added', 'recency.contact.removed', 'recency.contact.changed'),
    user: id,
    contact: id,
    version,
  })
  .filter((task) => task.user !== task.contact)
  .map(({ version, ...task }) => (version === undefined ? task : { ...task, version }) as Task);
const photoTask = fc.record({ type: fc.constantFrom('recency.photo.uploaded', 'recency.photo.deleted'), owner: id });
const groupTask: fc.Arbitrary<Task> = fc
  .record({ type: fc.constantFrom('recency.group.joined', 'recency.group.left'), user: id, group: id, version })
  .map(({ version, ...task }) => (version === undefined ? task : { ...task, version }) as Task);
const groupPhotoTask = fc.record({ type: fc.constantFrom('recency.group_photo.added'), group: id });
const userTask = fc.record({ type: fc.constantFrom('recency.user.changed', 'recency.user.deleted'), user: id });
const received = fc
  .array(fc.oneof(contactTask, photoTask, groupTask, groupPhotoTask, userTask))
  .map((tasks) => tasks.map((task, i): ReceivedTask => ({ task: task as Task, position: `p:${i}` })));

const siteTask = ({ task }: ReceivedTask) => task as Task;

function isDeletionOf(task: Task, user: string): boolean {
  return task.type === 'recency.user.deleted' && task.user === user;
}

describe('a plan', () => {
  test.prop([received])('contains each pair, owner and user once', (tasks) => {
    const { hints, owners, dropped, forgotten } = planWork(tasks);
    const unique = (items: readonly string[]) => expect(new Set(items).size).toBe(items.length);
    unique(hints.map(({ user, contact }) => `${user} ${contact}`));
    unique(owners);
    unique([...dropped, ...forgotten]);
  });

  test.prop([received])('omits nothing of any task', (tasks) => {
    const { hints, owners, dropped, forgotten } = planWork(tasks);
    for (const task of tasks.map(siteTask)) {
      if ('contact' in task) {
        const own = hints.find((hint) => hint.user === task.user && hint.contact === task.contact);
        expect(own).toBeDefined();
        if (task.version !== undefined) expect(Number(own?.version)).toBeGreaterThanOrEqual(Number(task.version));
        expect(hints.some((hint) => hint.user === task.contact && hint.contact === task.user)).toBe(true);
        continue;
      }
      if ('group' in task) continue;
      const owner = 'owner' in task ? task.owner : task.user;
      expect(owners).toContain(owner);
      if ('owner' in task) continue;
      const isDeleted = tasks.some((other) => isDeletionOf(siteTask(other), task.user));
      expect(isDeleted ? forgotten : dropped).toContain(task.user);
    }
  });

  test.prop([received])('keeps both sides of a relationship together, in one call and so in one snapshot', (tasks) => {
    const { hints } = planWork(tasks);
    for (let i = 0; i < hints.length; i += 2) {
      const [one, other] = [hints[i], hints[i + 1]];
      expect([other?.user, other?.contact]).toEqual([one?.contact, one?.user]);
    }
    expect(PAIRS_A_CALL % 2).toBe(0);
  });

  test.prop([received])('requires no version that no task named', (tasks) => {
    for (const hint of planWork(tasks).hints.filter((hint) => hint.version !== undefined)) {
      expect(
        tasks.some(
          ({ task }) =>
            'contact' in task &&
            task.user === hint.user &&
            task.contact === hint.contact &&
            task.version === hint.version,
        ),
      ).toBe(true);
    }
  });

  test.prop([received])('has only the work of its kind, and of groups only the side of the user', (tasks) => {
    const only = (wanted: (task: Task) => boolean) => tasks.filter((one) => wanted(siteTask(one)));
    const contacts = planWork(tasks);
    expect(planWork(only((task) => !('group' in task)))).toEqual(contacts);

    const groups = planWork(tasks, GROUPS);
    const joined = only((task) => 'group' in task && 'user' in task).map(siteTask);
    const pairs = joined.map((task) => ('group' in task && 'user' in task ? `${task.user} ${task.group}` : ''));
    expect(new Set(groups.hints.map(({ user, contact }) => `${user} ${contact}`))).toEqual(new Set(pairs));
    expect(groups.hints).toHaveLength(new Set(pairs).size);
    const added = only((task) => 'group' in task && !('user' in task));
    const groupOf = (task: Task) => ('group' in task ? task.group : '');
    expect(new Set(groups.owners)).toEqual(new Set(added.map(siteTask).map(groupOf)));
    expect([groups.dropped, groups.forgotten]).toEqual([contacts.dropped, contacts.forgotten]);
  });

  it('compares versions as whole numbers of any size', () => {
    const of = (version: string): ReceivedTask => ({
      position: version,
      task: { type: 'recency.contact.changed', user: '1', contact: '2', version },
    });
    const { hints } = planWork([of('9'), of('18446744073709551615'), of('10')]);
    expect(hints[0]?.version).toBe('18446744073709551615');
  });
});
