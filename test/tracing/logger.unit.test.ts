import { describe, expect, it } from 'vitest';
import { RedisNotOnRecord } from '../../src/redis/masters.ts';
import { loggable } from '../../src/tracing/logger.ts';

const MARKER = 'hunter2';

function failedCommand(): Error {
  const error = Object.assign(new Error('WRONGPASS invalid'), {
    name: 'ReplyError',
    code: 'WRONGPASS',
    command: { name: 'auth', args: ['nobody', MARKER] },
    sql: `SET PASSWORD = '${MARKER}'`,
    password: MARKER,
    config: { sasl: { password: MARKER } },
  });
  return error;
}

describe('what is logged', () => {
  it('for an error that says what to do about it has that as well', () => {
    expect(loggable(new RedisNotOnRecord('Redis is another one'))).toMatchObject({
      message: 'Redis is another one',
      remedy: expect.stringMatching(/^Lead the address/),
    });
  });

  it('for an error is its class, message, stack, code and causes, and nothing else', () => {
    const error = new Error('outer', { cause: failedCommand() });
    const logged = loggable(error) as { cause: object };
    expect(Object.keys(logged)).toEqual(['type', 'message', 'stack', 'cause']);
    expect(Object.keys(logged.cause)).toEqual(['type', 'message', 'stack', 'code']);
    expect(JSON.stringify(logged)).not.toContain(MARKER);
  });

  it.each([
    ['an error under any name, at any depth', { a: [{ reason: failedCommand() }] }],
    ['the errors of one that stands for many', new AggregateError([failedCommand()], 'all failed')],
    [
      'objects of a client',
      {
        client: new (class Client {
          password = MARKER;
        })(),
      },
    ],
    ['what is called a secret', { sasl: { username: 'a', password: MARKER }, tokens: [MARKER], Authorization: MARKER }],
    ['addresses in texts', `Redis at redis://user:${MARKER}@127.0.0.1:6379 and mysql://u:${MARKER}@h/db`],
    ['addresses in messages', new Error(`cannot reach rediss://:${MARKER}@h:1`)],
    ['what is nested too deep', { a: { b: { c: { d: { e: { f: { g: { h: { password: MARKER } } } } } } } } }],
  ])('never shows a secret in %s', (_what, value) => {
    expect(JSON.stringify(loggable(value))).not.toContain(MARKER);
  });

  it('is otherwise the value as given', () => {
    const plain = { user: '42', ids: ['1', 2], none: null, at: new Date(0), big: 2n ** 60n, none2: undefined };
    expect(loggable(plain)).toEqual({ ...plain, at: '1970-01-01T00:00:00.000Z', big: '1152921504606846976' });
  });

  it('terminates even if an object contains itself', () => {
    const self: Record<string, unknown> = { name: 'a' };
    self.self = self;
    expect(JSON.stringify(loggable(self))).toContain('[…]');
    const error = new Error('again');
    error.cause = error;
    expect(JSON.stringify(loggable(error)).length).toBeLessThan(50_000);
  });
});
