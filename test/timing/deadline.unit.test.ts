import { describe, expect, it } from 'vitest';
import { Deadline, RequestCancelled } from '../../src/timing/deadline.ts';
import { until } from '../support/until.ts';

describe('a deadline that is cancelled already', () => {
  it('ends a wait at once, and nothing is thrown later', async () => {
    const thrown: unknown[] = [];
    const note = (error: unknown) => void thrown.push(error);
    process.on('uncaughtException', note);
    process.on('unhandledRejection', note);
    const deadline = new Deadline(20);
    deadline.cancel();
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(deadline.wait(promise)).rejects.toThrow(RequestCancelled);
    reject(new Error('too late for anybody'));
    await until(() => deadline.leftMs === 0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
    expect(thrown).toEqual([]);
  });
});
