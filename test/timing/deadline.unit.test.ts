import { describe, expect, it } from 'vitest';
import {
  Deadline,
  DeadlineExceeded,
  RequestCancelled,
  settledWithin,
  withinDeadline,
  withTimeout,
} from '../../src/timing/deadline.ts';
import { until } from '../support/until.ts';

describe('waiting within a deadline', () => {
  it('ends at once when the deadline is already cancelled, and nothing is thrown later', async () => {
    const thrown: unknown[] = [];
    const note = (error: unknown) => void thrown.push(error);
    process.on('uncaughtException', note);
    process.on('unhandledRejection', note);
    const deadline = new Deadline(20);
    deadline.cancel();
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(withinDeadline(deadline, promise)).rejects.toThrow(RequestCancelled);
    reject(new Error('too late for anybody'));
    await until(() => deadline.leftMs === 0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
    expect(thrown).toEqual([]);
  });

  it('fails when the time is over, and waits for as long as it takes without a deadline', async () => {
    await expect(withinDeadline(new Deadline(1), new Promise(() => undefined))).rejects.toThrow(DeadlineExceeded);
    expect(await withinDeadline(undefined, Promise.resolve('value'))).toBe('value');
    expect(await withinDeadline(new Deadline(60_000), Promise.resolve('value'))).toBe('value');
  });

  it('says which of two limits is over: the shorter one, or that of the request where both are equally long', async () => {
    const never = new Promise(() => undefined);
    const late = () => new Error('late');
    await expect(withTimeout(never, 5, late, new Deadline(60_000))).rejects.toThrow('late');
    await expect(withTimeout(never, 60_000, late, new Deadline(5))).rejects.toThrow(DeadlineExceeded);
    await expect(withTimeout(never, 5, late, new Deadline(5))).rejects.toThrow(DeadlineExceeded);
  });
});

describe('a wait for something to end', () => {
  it('says whether it ended in time, however it ended', async () => {
    expect(await settledWithin(Promise.resolve(), 50)).toBe(true);
    expect(await settledWithin(Promise.reject(new Error('x')), 50)).toBe(true);
    expect(await settledWithin(new Promise(() => undefined), 5)).toBe(false);
  });
});
