import { test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { deliveredTaskSchema, MAX_TASK_BYTES, TASK_TYPES, type Task, taskSchema } from '../../src/contracts/task.ts';
import { decodeTask, encodeTask, InvalidTask, readTask } from '../../src/transport/cloud-events.ts';
import { anyOutgoingTask } from './outgoing-task.ts';

const added = { type: 'recency.contact.added', user: '42', contact: '7' };

/** Whose partition the task belongs to, by the rules of docs/adopting.md. */
function subjectOf(task: Task): string {
  if ('user' in task) return task.user;
  return 'owner' in task ? task.owner : task.group;
}

function delivered(body: unknown, headers: Record<string, string> = {}) {
  return { body: Buffer.from(JSON.stringify(body)), headers };
}

function problemOf(body: Buffer | null, headers: Record<string, string> = {}): string {
  try {
    decodeTask({ body, headers });
  } catch (error) {
    if (error instanceof InvalidTask) return error.message;
    throw error;
  }
  return 'none';
}

describe('encoding and decoding a task', () => {
  test.prop([anyOutgoingTask])('round-trips', (outgoing) => {
    expect(decodeTask(encodeTask(outgoing))).toEqual(outgoing.task);
  });

  test.prop([anyOutgoingTask])('carries the attributes of CloudEvents 1.0', (outgoing) => {
    const { key, headers } = encodeTask(outgoing);
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_id: outgoing.id,
      ce_type: outgoing.task.type,
      ce_source: outgoing.source,
      ce_time: new Date(outgoing.time).toISOString(),
      ce_subject: subjectOf(outgoing.task as Task),
      'content-type': 'application/json',
      ...(outgoing.traceparent === undefined ? {} : { traceparent: outgoing.traceparent }),
    });
    expect(key).toBe(headers.ce_subject);
  });

  test.prop([anyOutgoingTask])('may name its type in the header alone', (outgoing) => {
    const { body, headers } = encodeTask(outgoing);
    const { type: _, ...rest } = JSON.parse(body.toString());
    expect(decodeTask(delivered(rest, { ...headers }))).toEqual(outgoing.task);
  });

  it('has one of fourteen types', () => {
    expect(TASK_TYPES).toHaveLength(14);
    expect(new Set(TASK_TYPES).size).toBe(14);
  });

  it('needs no CloudEvents headers', () => {
    expect(decodeTask(delivered(added))).toEqual(added);
  });
});

describe('what is not a task', () => {
  it.each<[string, Buffer | null, RegExp]>([
    ['a tombstone', null, /tombstone/],
    ['nothing', Buffer.alloc(0), /empty/],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['not JSON', Buffer.from('{"type"'), /not JSON/],
    ['a string', Buffer.from('"task"'), /not a JSON object/],
    ['null', Buffer.from('null'), /not a JSON object/],
    ['a list', Buffer.from('[]'), /not a JSON object/],
    ['no type', Buffer.from('{}'), /^type: there is none; the types are recency\.contact\.added/],
    ['an unknown type', Buffer.from('{"type":"recency.contact.poked"}'), /^type: "recency.contact.poked" is not known/],
    ['a type of null', Buffer.from('{"type":null}'), /^type: null is not known/],
    ['a type that is no text', Buffer.from('{"type":{"a":1}}'), /^type: an object is not known/],
    ['one byte too much', Buffer.alloc(MAX_TASK_BYTES + 1, ' '), /65537 bytes; a task has at most 65536/],
  ])('%s', (_, body, problem) => {
    expect(problemOf(body)).toMatch(problem);
  });

  it.each<[string, object, RegExp]>([
    ['a missing field', { type: added.type, user: '42' }, /^contact: /],
    ['a number as an id', { ...added, contact: 7 }, /^contact: an id is a string, not a number$/],
    ['an id with a leading zero', { ...added, user: '042' }, /^user: not an id/],
    ['a contact of oneself', { ...added, contact: '42' }, /^contact: a user is not a contact of their own$/],
    ['version 0', { ...added, version: 0 }, /^version: a version is a whole number from 1$/],
    ['version "0"', { ...added, version: '0' }, /^version: /],
    ['a negative time', { type: 'recency.photo.uploaded', owner: '1', at: -1 }, /^at: /],
  ])('%s', (_, body, problem) => {
    expect(problemOf(Buffer.from(JSON.stringify(body)))).toMatch(problem);
  });

  it('is bounded in its own message', () => {
    const type = 'y'.repeat(60_000);
    expect(problemOf(Buffer.from(JSON.stringify({ type }))).length).toBeLessThan(600);
    const headers = { 'content-type': `application/cloudevents+${type}` };
    expect(problemOf(Buffer.from('{}'), headers).length).toBeLessThan(600);
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('nested 10,000 deep with %s, and fast', (open, close) => {
    const deep = Buffer.from(`{"type":"recency.user.deleted","user":${open.repeat(10_000)}1${close.repeat(10_000)}}`);
    const from = performance.now();
    expect(problemOf(deep.subarray(0, MAX_TASK_BYTES))).not.toBe('none');
    expect(problemOf(Buffer.from(open.repeat(10_000)))).toMatch(/not JSON/);
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  it('an event of another version of CloudEvents', () => {
    expect(problemOf(delivered(added).body, { ce_specversion: '0.3' })).toMatch(/^ce_specversion: "0.3" is not known/);
  });

  it('a header and a body that name different types', () => {
    const headers = { ce_type: 'recency.contact.removed' };
    expect(problemOf(delivered(added).body, headers)).toMatch(/"recency.contact.removed" is not the type in the body/);
  });
});

describe('unknown fields', () => {
  it.each<[string, object, string[]]>([
    ['none', added, []],
    ['one that a newer producer has', { ...added, reason: { of: ['it'] } }, ['reason']],
    ['one of another type', { ...added, photo: '1', at: 1 }, ['photo', 'at']],
    [
      'one with a special name in JavaScript',
      JSON.parse('{"type":"recency.user.deleted","user":"1","__proto__":{"user":"2"}}'),
      ['__proto__'],
    ],
  ])('are ignored and told: %s', (_, body, ignored) => {
    const read = readTask(delivered(body));
    expect(read.ignored).toEqual(ignored);
    expect(read.task).toEqual(JSON.parse(JSON.stringify({ ...read.task })));
    for (const name of ignored) expect(Object.hasOwn(read.task, name)).toBe(false);
  });

  it('are an error where they can be reported to the sender', () => {
    expect(taskSchema.safeParse({ ...added, reason: 1 }).success).toBe(false);
    expect(deliveredTaskSchema.safeParse({ ...added, reason: 1 }).data).toEqual(added);
  });
});

describe('an event in structured mode', () => {
  const headers = { 'content-type': 'Application/CloudEvents+json; charset=UTF-8' };
  const { type, ...data } = added;
  const event = { specversion: '1.0', id: 'e1', source: '/site', type, datacontenttype: 'application/json', data };

  test.prop([anyOutgoingTask])('is decoded as a task', ({ task, id, source }) => {
    const body = { specversion: '1.0', id, source, type: task.type, data: task };
    expect(readTask(delivered(body, headers))).toEqual({ task, id, ignored: [] });
  });

  it('may have extensions, and a task without its type or in base64', () => {
    const more = { ...event, traceparent: '00-1', partitionkey: '42', subject: '42' };
    expect(readTask(delivered(more, headers))).toEqual({ task: added, id: 'e1', ignored: [] });
    const { data: _, ...rest } = event;
    const encoded = { ...rest, data_base64: Buffer.from(JSON.stringify(added)).toString('base64') };
    expect(readTask(delivered(encoded, headers)).task).toEqual(added);
  });

  it('may have unknown fields', () => {
    expect(readTask(delivered({ ...event, data: { ...data, more: 1 } }, headers)).ignored).toEqual(['more']);
  });

  it.each<[string, unknown, RegExp]>([
    ['is no object', [event], /not a JSON object/],
    ['has no version', { ...event, specversion: undefined }, /^specversion: there is none; send CloudEvents 1\.0/],
    ['has another version', { ...event, specversion: '0.3' }, /^specversion: "0.3" is not known/],
    ['has no id', { ...event, id: undefined }, /^id: /],
    ['has no type', { ...event, type: 7 }, /^type: /],
    ['has an unknown type', { ...event, type: 'a.b' }, /^type: "a.b" is not known/],
    ['has no data', { ...event, data: undefined }, /^data: must be a JSON object/],
    ['has text as data', { ...event, data: '{}' }, /^data: must be a JSON object/],
    ['has data twice', { ...event, data_base64: 'e30=' }, /^data: the event has data_base64 as well/],
    [
      'names two types',
      { ...event, data: { ...data, type: 'recency.contact.removed' } },
      /is not the type in the body/,
    ],
    ['holds a bad task', { ...event, data: { user: '1' } }, /^contact: /],
  ])('that %s is none', (_, body, problem) => {
    expect(problemOf(Buffer.from(JSON.stringify(body)), headers)).toMatch(problem);
  });

  it.each([
    ['application/cloudevents-batch+json', /^content-type: a batch of CloudEvents; send one event in each message$/],
    ['application/cloudevents+avro', /^content-type: "application\/cloudevents\+avro" is not supported; send/],
  ])('in another form is none: %s', (contentType, problem) => {
    expect(problemOf(delivered([event]).body, { 'content-type': contentType })).toMatch(problem);
  });
});
