import { describe, expect, it } from 'vitest';
import { SharedClient } from '../../../src/transport/kafka/shared-client.ts';

/** Clients are numbered as they are opened. */
function numbered() {
  const closed: number[] = [];
  let last = 0;
  const shared = new SharedClient(
    async () => ++last,
    async (client) => void closed.push(client),
  );
  return { shared, closed };
}

const fails = (shared: SharedClient<number>) =>
  expect(shared.ask(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');

describe('a client that questions share', () => {
  it('is one, and is closed in the end', async () => {
    const { shared, closed } = numbered();
    expect(await Promise.all([1, 2, 3].map(() => shared.ask(async (client) => client)))).toEqual([1, 1, 1]);
    expect(closed).toEqual([]);
    await shared.close();
    expect(closed).toEqual([1]);
  });

  it('is replaced after an error, and closed only when no other question needs it', async () => {
    const { shared, closed } = numbered();
    const answer = Promise.withResolvers<void>();
    const waiting = shared.ask(async (client) => {
      await answer.promise;
      return client;
    });
    await fails(shared);
    await fails(shared);
    expect(await shared.ask(async (client) => client)).toBe(3);
    expect(closed).toEqual([2]);
    answer.resolve();
    expect(await waiting).toBe(1);
    expect(closed).toEqual([2, 1]);
  });

  it('is replaced when that is asked for', async () => {
    const { shared, closed } = numbered();
    await shared.renew();
    expect(await shared.ask(async (client) => client)).toBe(1);
    await shared.renew();
    expect(closed).toEqual([1]);
    expect(await shared.ask(async (client) => client)).toBe(2);
  });

  it('that could not be opened is opened again', async () => {
    let tries = 0;
    const open = async () => {
      if (++tries === 1) throw new Error('away');
      return tries;
    };
    const shared = new SharedClient(open, async () => undefined);
    await expect(shared.ask(async (client) => client)).rejects.toThrow('away');
    expect(await shared.ask(async (client) => client)).toBe(2);
  });
});
