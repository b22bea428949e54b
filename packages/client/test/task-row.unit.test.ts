import { describe, expect, it } from 'vitest';
import { TASK_TYPES } from '../../../src/contracts/task.ts';
import { outgoingTask } from '../../../src/relay/outgoing-task.ts';
import type { Task } from '../src/client.ts';
import { readerOf, rowOf, tokenOfTask } from '../src/task-row.ts';
import { EVERY_TASK } from './support/every-task.ts';

it('has an example of every type of task', () => {
  expect(EVERY_TASK.map(({ task }) => task.type).sort()).toEqual([...TASK_TYPES].sort());
});

describe.each(EVERY_TASK)('$task.type', ({ task, token, reader }) => {
  it('is a row from which the relay makes the same task', () => {
    const { type, user_id: userId, other_id: otherId, at, version } = rowOf(task);
    const row = { type, userId, otherId, at: at === null ? null : String(at), version, createdAt: 0, attempt: 0 };
    expect(outgoingTask({ id: '1', ...row }).task).toEqual(task);
  });

  it('gives the token of the one who is followed', () => {
    expect(tokenOfTask(task)).toBe(token);
    expect(readerOf(task)).toEqual(reader === undefined ? undefined : { user: reader, token });
  });
});

const contact = { type: 'recency.contact.added', user: '42', contact: '7' };
const photo = { type: 'recency.photo.uploaded', owner: '42' };

it('leaves it to the server whether a task that was posted may name a contact with the number of the user', () => {
  expect(readerOf({ ...contact, contact: '42' } as Task)).toEqual({ user: '42', token: 'contact=42' });
});

it.each([
  [{ ...contact, user: 42 }, 'user', 'is the number 42'],
  [{ ...contact, contact: 7n }, 'contact', 'is the bigint 7'],
  [{ ...contact, contact: '07' }, 'contact', 'is "07"'],
  [{ ...contact, contact: '18446744073709551616' }, 'contact', 'from 1 to 18446744073709551615'],
  [{ ...contact, contact: undefined }, 'contact', 'is undefined'],
  [{ ...contact, contact: '42' }, 'contact', 'nobody is a contact of their own'],
  [{ ...contact, version: 0 }, 'version', 'is 0'],
  [{ ...contact, version: '1.0' }, 'version', 'is "1.0"'],
  [{ ...contact, contact_id: '7' }, 'contact_id', 'is no field of recency.contact.added'],
  [{ ...photo, photo: null }, 'photo', 'is null'],
  [{ ...photo, at: new Date(0) }, 'at', 'whole ms since 1970 UTC'],
  [{ ...photo, at: -1 }, 'at', 'is -1'],
  [{ type: 'recency.user.changed' }, 'user', 'is undefined'],
  [{ type: 'recency.contact.renamed', user: '1' }, 'type', 'is "recency.contact.renamed", not one of'],
  [{ type: 'toString', user: '1' }, 'type', 'not one of'],
])('refuses %o', (task, field, message) => {
  const write = () => rowOf(task as unknown as Task);
  expect(write).toThrow(expect.objectContaining({ name: 'InvalidArgument', field }));
  expect(write).toThrow(message);
});
