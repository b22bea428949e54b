import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ColdBuilds, type ColdBuildsOptions } from '../src/query/cold-builds.ts';
import { PlainQueryLimit, PlainQueryLimitReached } from '../src/query/plain-query-limit.ts';
import { until } from './support/until.ts';

/** Work that ends when it is told to. */
class Held {
  readonly started: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();

  run = (name: string): Promise<string> => {
    this.started.push(name);
    const end = Promise.withResolvers<string>();
    this.#ends.set(name, end);
    return end.promise;
  };

  end(name: string): void {
    this.#ends.get(name)?.resolve(name);
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new Error(`${name} failed`));
  }
}

describe('plain queries', () => {
  const limit = (waitMs = 60_000) => new PlainQueryLimit({ concurrency: 2, queue: 1, waitMs });

  it('run so many at once, wait so many, and are refused beyond', async () => {
    const held = new Held();
    const plain = limit();
    const results = ['a', 'b', 'c'].map((name) => plain.run(() => held.run(name)));
    expect([plain.running, plain.queued]).toEqual([2, 1]);
    await expect(plain.run(() => held.run('d'))).rejects.toThrow(PlainQueryLimitReached);
    expect(held.started).toEqual(['a', 'b']);
    held.end('a');
    await until(() => held.started.includes('c'));
    for (const name of ['b', 'c']) held.end(name);
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect([plain.running, plain.queued, plain.refused]).toEqual([0, 0, 1]);
  });

  it('wait for their turn so long and no longer, and are not run after that', async () => {
    const held = new Held();
    const plain = limit(20);
    const running = ['a', 'b'].map((name) => plain.run(() => held.run(name)));
    await expect(plain.run(() => held.run('c'))).rejects.toThrow(PlainQueryLimitReached);
    for (const name of ['a', 'b']) held.end(name);
    await Promise.all(running);
    await turn();
    expect(held.started).toEqual(['a', 'b']);
    expect([plain.running, plain.queued, plain.refused]).toEqual([0, 0, 1]);
  });

  it('that run may take longer than they may wait', async () => {
    const held = new Held();
    const plain = limit(1);
    const result = plain.run(() => held.run('a'));
    await expect(plain.run(() => new Promise((resolve) => setTimeout(resolve, 20, 'slow')))).resolves.toBe('slow');
    held.end('a');
    expect(await result).toBe('a');
  });

  it('reject with what they reject with, and make room', async () => {
    const plain = limit();
    for (let i = 0; i < 5; i++) await expect(plain.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect([plain.running, plain.refused]).toEqual([0, 0]);
  });
});

describe('builds of cold users', () => {
  function builds(held: Held, options: Partial<ColdBuildsOptions> = {}) {
    const errors: string[] = [];
    const onError = (error: unknown, user: string) => void errors.push(`${user}: ${(error as Error).message}`);
    return { errors, cold: new ColdBuilds({ build: held.run, concurrency: 2, queue: 1, onError, ...options }) };
  }

  it('are one a user at a time', async () => {
    const held = new Held();
    const { cold } = builds(held);
    for (let i = 0; i < 5; i++) cold.request('1');
    await turn();
    expect(held.started).toEqual(['1']);
    held.end('1');
    await until(() => cold.underWay === 0);
    cold.request('1');
    await until(() => held.started.length === 2);
  });

  it('are so many at once, wait so many, and are dropped beyond until somebody asks again', async () => {
    const held = new Held();
    const { cold } = builds(held);
    for (const user of ['1', '2', '3', '4']) cold.request(user);
    await turn();
    expect(held.started).toEqual(['1', '2']);
    expect(cold.underWay).toBe(3);
    expect(cold.counts).toEqual({ built: 0, failed: 0, dropped: 1 });
    for (const user of ['1', '2']) held.end(user);
    await until(() => held.started.includes('3'));
    cold.request('4');
    await until(() => held.started.includes('4'));
  });

  it('that fail are told of and counted, and may be asked for again', async () => {
    const held = new Held();
    const { cold, errors } = builds(held);
    cold.request('1');
    await turn();
    held.fail('1');
    await until(() => cold.underWay === 0);
    expect(errors).toEqual(['1: 1 failed']);
    expect(cold.counts).toEqual({ built: 0, failed: 1, dropped: 0 });
    cold.request('1');
    await until(() => held.started.length === 2);
  });

  it('that run are waited for at the end; those that wait are not begun, and no other is', async () => {
    const held = new Held();
    const { cold } = builds(held);
    for (const user of ['1', '2', '3']) cold.request(user);
    await turn();
    let drained = false;
    const draining = cold.drain().then(() => {
      drained = true;
    });
    cold.request('5');
    held.end('1');
    await turn();
    expect(drained).toBe(false);
    held.end('2');
    await draining;
    expect(held.started).toEqual(['1', '2']);
    expect(cold.counts).toEqual({ built: 2, failed: 0, dropped: 1 });
  });
});
