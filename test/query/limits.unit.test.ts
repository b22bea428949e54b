import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HeavyQueriesBusy } from '../../src/mysql/database.ts';
import { type BuildBy, type BuildOutcome, ColdBuilds, type ColdBuildsOptions } from '../../src/query/cold-builds.ts';
import { Deadline, DeadlineExceeded, RequestCancelled } from '../../src/timing/deadline.ts';
import { Limiter, type LimiterOptions } from '../../src/timing/limiter.ts';
import { until } from '../support/until.ts';

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

describe('turns', () => {
  const turns = (options: Partial<LimiterOptions> = {}) =>
    new Limiter({
      concurrency: 2,
      queue: 1,
      waitMs: 60_000,
      refusal: () => new HeavyQueriesBusy('full'),
      ...options,
    });

  /** So that it is known what a turn takes: some `ms`. */
  async function paced(ms: number, options: Partial<LimiterOptions>): Promise<Limiter> {
    const all = turns(options);
    for (let i = 0; i < 40; i++) await all.run(() => new Promise((resolve) => setTimeout(resolve, ms)));
    return all;
  }

  it('have a limit for those that run and those that wait, and are refused beyond', async () => {
    const held = new Held();
    const all = turns();
    const results = ['a', 'b', 'c'].map((name) => all.run(() => held.run(name)));
    expect([all.running, all.queued]).toEqual([2, 1]);
    await expect(all.run(() => held.run('d'))).rejects.toThrow(HeavyQueriesBusy);
    expect(held.started).toEqual(['a', 'b']);
    held.end('a');
    await until(() => held.started.includes('c'));
    for (const name of ['b', 'c']) held.end(name);
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect([all.running, all.queued, all.refused]).toEqual([0, 0, 1]);
  });

  it('are waited for up to a limit, and nothing begins after that', async () => {
    const held = new Held();
    const all = turns({ waitMs: 20 });
    const running = ['a', 'b'].map((name) => all.run(() => held.run(name)));
    await expect(all.run(() => held.run('c'))).rejects.toThrow(HeavyQueriesBusy);
    for (const name of ['a', 'b']) held.end(name);
    await Promise.all(running);
    await turn();
    expect(held.started).toEqual(['a', 'b']);
    expect([all.running, all.queued, all.refused]).toEqual([0, 0, 1]);
  });

  it('are waited for until the deadline of the request, and then its time is over', async () => {
    const held = new Held();
    const all = turns({ waitMs: 60_000 });
    const running = ['a', 'b'].map((name) => all.run(() => held.run(name)));
    const waiting = all.run(() => held.run('c'), { deadline: new Deadline(20) });
    await expect(waiting).rejects.toMatchObject({ name: 'DeadlineExceeded', cause: { name: 'DatabaseUnavailable' } });
    for (const name of ['a', 'b']) held.end(name);
    await Promise.all(running);
    expect([all.running, all.queued, all.refused]).toEqual([0, 0, 1]);
  });

  it('are refused at once where the line stands for more time than there is, however few wait', async () => {
    const all = await paced(10, { concurrency: 1, queue: 1_000, waitMs: 80 });
    const held = new Held();
    const first = all.run(() => held.run('a'));
    const waiting = ['b', 'c', 'd'].map((name) => all.run(() => held.run(name)).catch(String));
    const soon = new Deadline(24);
    await expect(all.run(() => held.run('x'), { deadline: soon })).rejects.toThrow(HeavyQueriesBusy);
    expect(soon.leftMs).toBeGreaterThan(0); // it has not waited
    const more = Array.from({ length: 20 }, (_, i) => all.run(() => held.run(`e${i}`)).catch(String));
    expect(all.queued).toBeLessThan(10); // 80 ms of 10 each
    for (const name of ['a', 'b', 'c', 'd', ...more.map((_, i) => `e${i}`)]) {
      await turn();
      held.end(name);
      await turn();
    }
    await first;
    await Promise.all([...waiting, ...more]);
    expect([all.running, all.queued]).toEqual([0, 0]);
  });

  it('are given up when the client disconnects, and go to the next in line', async () => {
    const held = new Held();
    const all = turns({ concurrency: 1, queue: 10 });
    const first = all.run(() => held.run('a'));
    const gone = new Deadline(60_000);
    const left = all.run(() => held.run('b'), { deadline: gone });
    const next = all.run(() => held.run('c'));
    gone.cancel();
    await expect(left).rejects.toThrow(RequestCancelled);
    held.end('a');
    await until(() => held.started.includes('c'));
    held.end('c');
    await Promise.all([first, next]);
    expect(held.started).toEqual(['a', 'c']);
    await expect(all.run(() => held.run('d'), { deadline: gone })).rejects.toThrow(RequestCancelled);
    await expect(all.run(() => held.run('e'), { deadline: new Deadline(0) })).rejects.toThrow(DeadlineExceeded);
    expect(all.running).toBe(0);
  });

  it('are not refused because one of them once took long', async () => {
    const all = await paced(1, { concurrency: 1, queue: 1_000, waitMs: 5_000 });
    await all.run(() => new Promise((resolve) => setTimeout(resolve, 300)));
    const results = Array.from({ length: 100 }, (_, i) => all.run(async () => i)); // 300 ms each would be 30 s
    expect(await Promise.all(results)).toHaveLength(100);
  });

  it('go to answers before background work', async () => {
    const held = new Held();
    const all = turns({ concurrency: 1, queue: 10 });
    const first = all.run(() => held.run('a'));
    const behind = all.run(() => held.run('b'), { urgency: 'background' });
    const answer = all.run(() => held.run('c'));
    for (const name of ['a', 'c', 'b']) {
      await until(() => held.started.includes(name));
      held.end(name);
    }
    await Promise.all([first, behind, answer]);
    expect(held.started).toEqual(['a', 'c', 'b']);
  });

  it('are free again when the work fails', async () => {
    const all = turns();
    for (let i = 0; i < 5; i++) await expect(all.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect([all.running, all.refused]).toEqual([0, 0]);
  });
});

describe('builds of cold users', () => {
  function builds(held: Held, options: Partial<ColdBuildsOptions> = {}) {
    const errors: string[] = [];
    const onError = (error: unknown, user: string) => void errors.push(`${user}: ${(error as Error).message}`);
    const build = async (user: string): Promise<BuildOutcome> => {
      await held.run(user);
      return 'built';
    };
    return { errors, cold: new ColdBuilds({ build, concurrency: 2, queue: 1, onError, ...options }) };
  }

  it('run one at a time per user', async () => {
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

  it('have a limit for those that run and those that wait, and are dropped beyond until requested again', async () => {
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

  it('that fail are reported and counted, and may be requested again', async () => {
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

  it('that run are waited for on drain; those that wait are not begun, nor are new ones', async () => {
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

  it('that answer a request run one per user; other requests wait, and one takes over when the client disconnects', async () => {
    const asked: BuildBy[] = [];
    const ends: PromiseWithResolvers<BuildOutcome>[] = [];
    const build = async (_user: string, by: BuildBy) => {
      const end = Promise.withResolvers<BuildOutcome>();
      asked.push(by);
      ends.push(end);
      by.deadline?.onCancel(() => end.reject(new RequestCancelled()));
      return await end.promise;
    };
    const { cold, errors } = builds(new Held(), { build });
    const [gone, here, other] = [new Deadline(60_000), new Deadline(60_000), new Deadline(60_000)];
    const first = cold.answer('1', gone);
    const second = cold.answer('1', here);
    const third = cold.answer('1', other);
    await turn();
    expect(asked).toHaveLength(1);
    gone.cancel();
    await expect(first).rejects.toThrow(RequestCancelled);
    await until(() => asked.length === 2);
    const row = { id: '7', at: 1, isFriend: true, isFamily: false, sees: '1', unseen: true };
    const top = { contacts: [row], isAll: true };
    asked[1]?.onRows?.(top);
    ends[1]?.resolve('built');
    expect(await Promise.all([second, third])).toEqual([top, 'built']);
    expect({ ...cold.counts, errors, underWay: cold.underWay }).toEqual({
      ...{ built: 1, failed: 0, dropped: 1, errors: [], underWay: 0 },
    });
  });

  it('that fail after the rows were read still answer', async () => {
    const build = async (_user: string, by: BuildBy) => {
      by.onRows?.({ contacts: [], isAll: true });
      throw new Error('no Redis');
    };
    const { cold, errors } = builds(new Held(), { build });
    expect(await cold.answer('1')).toEqual({ contacts: [], isAll: true });
    expect(errors).toEqual(['1: no Redis']);
  });
});
