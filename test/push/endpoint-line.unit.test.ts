import { describe, expect, it } from 'vitest';
import { EndpointLine, Slots } from '../../src/push/endpoint-line.ts';

const SILENCE = new Error('it said nothing');

/** A line of two at once, whose clock is set by hand. */
const slotsOf = (most: number) => ({ waiting: new Slots(most), toSilent: new Slots(most) });

function lineOfTwo(atOnce = 2, slots = slotsOf(100)) {
  const clock = { ms: 0 };
  const isSilence = (error: unknown) => error === SILENCE;
  const line = new EndpointLine({ atOnce, waitMs: 1_000, isSilence, slots, now: () => clock.ms });
  return { line, clock };
}

const whyOf = async (run: Promise<unknown>) => await run.then(String, ({ message }: Error) => message);

describe('the line of an endpoint', () => {
  it('has nothing wait once none of the deliveries begins or ends', async () => {
    const { line, clock } = lineOfTwo();
    const held = [1, 2].map(() => Promise.withResolvers<string>());
    const running = held.map(({ promise }) => line.run(() => promise));
    clock.ms = 400;
    const waiting = line.run(async () => 'its turn came');
    clock.ms = 600;
    expect(await whyOf(line.run(async () => 'late'))).toMatch(/^the endpoint is slow: none of 2 /);
    for (const { resolve } of held) resolve('done');
    expect(await Promise.all([...running, waiting])).toEqual(['done', 'done', 'its turn came']);
    expect(await line.run(async () => 'again')).toBe('again');
  });

  it('has few deliveries to one that was silent, until it answers', async () => {
    const { line } = lineOfTwo(64);
    expect(await whyOf(line.run(() => Promise.reject(SILENCE)))).toBe(SILENCE.message);
    const held = Promise.withResolvers<string>();
    const few = Array.from({ length: 64 }, () => whyOf(line.run(() => held.promise)));
    expect(line.running).toBe(4);
    held.resolve('answered');
    expect((await Promise.all(few)).filter((why) => why === 'answered')).toHaveLength(4);
    const all = Array.from({ length: 64 }, () => line.run(async () => 'answered'));
    expect(line.running).toBe(64);
    await Promise.all(all);
  });

  it('counts a delivery as waiting only until its turn', async () => {
    const { line } = lineOfTwo(1, slotsOf(1));
    const [first, second, turn] = Array.from({ length: 3 }, () => Promise.withResolvers<string>());
    const running = line.run(async () => await first?.promise);
    const waiting = line.run(async () => {
      turn?.resolve('began');
      return await second?.promise;
    });
    first?.resolve('first');
    expect([await running, await turn?.promise]).toEqual(['first', 'began']);
    const third = line.run(async () => 'third');
    second?.resolve('second');
    expect(await Promise.all([waiting, third])).toEqual(['second', 'third']);
  });

  it('leaves room for endpoints that answer, however many deliveries wait or are silent', async () => {
    const slots = slotsOf(3);
    const line = () => lineOfTwo(1, slots).line;
    const held = Promise.withResolvers<string>();
    const slow = Array.from({ length: 3 }, line);
    const waiting = [...slow, ...slow, ...slow].map((one) => whyOf(one.run(() => held.promise)));
    expect(await line().run(async () => 'answered')).toBe('answered');
    held.resolve('answered');
    const refused = (outcomes: readonly string[]) => outcomes.filter((why) => why.startsWith('too many')).length;
    expect(refused(await Promise.all(waiting))).toBe(3);

    const silent = Array.from({ length: 5 }, line);
    for (const one of silent) await whyOf(one.run(() => Promise.reject(SILENCE)));
    const again = Promise.withResolvers<string>();
    const outcomes = silent.map((one) => whyOf(one.run(() => again.promise)));
    expect(await line().run(async () => 'answered')).toBe('answered');
    again.resolve('answered');
    expect(refused(await Promise.all(outcomes))).toBe(2);
  });
});
