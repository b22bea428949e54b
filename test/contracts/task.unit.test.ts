import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HttpProblem } from '../../src/api/http-problem.ts';
import { parse } from '../../src/api/parse.ts';
import { taskSchema } from '../../src/contracts/task.ts';
import type { OutboxRow } from '../../src/mysql/outbox.ts';
import { outgoingTask } from '../../src/relay/outgoing-task.ts';

/** What a client is told of a body. */
function refused(body: unknown): string {
  const schema = Array.isArray(body) ? z.array(taskSchema) : taskSchema;
  try {
    parse('body', schema, body);
  } catch (error) {
    if (error instanceof HttpProblem) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

const added = { type: 'recency.contact.added', user: '1', contact: '2' };
const uploaded = { type: 'recency.photo.uploaded', owner: '1' };

const WRONG: readonly (readonly [body: unknown, message: string | RegExp])[] = [
  [[7], '[0]: must be a task: an object with a type and ids'],
  [[null], '[0]: must be a task: an object with a type and ids'],
  [[added, 'x'], '[1]: must be a task: an object with a type and ids'],
  [{ ...added, type: 'nope' }, 'type: is not a type of task; docs/adopting.md names them'],
  [{ ...added, type: 5 }, 'type: is not a type of task; docs/adopting.md names them'],
  [{ user: '1' }, 'type: is missing'],
  [{ ...added, user: 1 }, 'user: an id is a string, not a number'],
  [{ ...added, user: null }, 'user: an id is a string'],
  [{ ...added, user: '01' }, /^user: not an id: /],
  [{ type: added.type, user: '1' }, 'contact: is missing'],
  [{ ...added, version: 0 }, 'version: a version is a whole number from 1'],
  [{ ...added, version: -1 }, 'version: a version is a whole number from 1'],
  [{ ...added, version: true }, 'version: a version is a whole number from 1'],
  [{ ...added, other: 1 }, 'other: is not a field'],
  ...['x', -1, 1.5, 1e300, null].map(
    (at) => [{ ...uploaded, at }, 'at: must be a time in ms since 1970, a whole number from 0'] as const,
  ),
];

describe('what is wrong with a task', () => {
  it.each(WRONG)('%j', (body, message) => {
    const told = refused(body);
    if (typeof message === 'string') expect(told).toBe(message);
    else expect(told).toMatch(message);
  });
});

describe('what is wrong with a row of the outbox', () => {
  const row: OutboxRow = {
    ...{ id: '5', type: added.type, userId: '1', otherId: '2', at: null, version: null },
    ...{ createdAt: 0, attempt: 0, traceparent: null },
  } as unknown as OutboxRow;

  it.each([
    [{ otherId: null }, 'other_id: is NULL, and a task of this type needs an id'],
    [{ otherId: '-1' }, /other_id: not an id: /],
    [{ type: 'nope' }, 'type "nope": is not a type of task; docs/adopting.md names them'],
    [{ otherId: '1' }, 'other_id: a user is not a contact of their own'],
  ])('%j', (changes, message) => {
    expect(() => outgoingTask({ ...row, ...changes })).toThrow(message);
  });
});
