import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Watch } from '../../src/contracts/watch.ts';
import { Notifier, type NotifierOptions } from '../../src/push/notifier.ts';
import type { WatchSave } from '../../src/push/watch-table.ts';
import { TRUSTED } from '../support/trust.ts';

const PAGE = 500;

const WATCH: Omit<Watch, 'id' | 'user'> = {
  ...{ kinds: ['contacts'], relation: 'any', muted: [], intervalMs: 0, channel: 'webhook', secrets: [], version: '1' },
  ...{ url: 'https://user.example.com/hook', told: { contacts: { entries: [], floor: undefined } } },
  ...{ ended: undefined, outgoing: undefined, notifiedAt: undefined, dueAt: undefined },
};

/** A notifier over a queue that holds so many users, each with a watch that something is new to, and an endpoint that is down. */
function notifierOn(
  waiting: { users: number },
  options: Partial<NotifierOptions> = {},
  saves: (readonly WatchSave[])[] = [],
) {
  const lines: Record<string, unknown>[] = [];
  const failed = async () => ({ is: 'failed', why: 'the endpoint answered 500' }) as const;
  const channel = { deliver: (some: readonly unknown[]) => some.map(failed), close: async () => undefined };
  const notifier = new Notifier({
    watch: TRUSTED,
    queue: {
      take: async (most) => {
        const ids = Array.from({ length: Math.min(most, waiting.users) }, (_, i) => String(i + 1));
        waiting.users -= ids.length;
        return { items: ids, leaseEnd: '1' };
      },
      finish: async () => undefined,
    },
    steps: {
      watch: async () => undefined,
      unwatch: async () => undefined,
      watchedOf: async () => [],
      watches: async (ids) => ids.map((id) => ({ ...WATCH, id, user: id })),
      heads: async (asked) => asked.map(() => ({ entries: [{ id: '9', at: 1 }], reach: undefined, floor: undefined })),
      save: async (some) => {
        saves.push(some);
        return new Map(some.map(({ id }) => [id, '2']));
      },
      deadLetter: async () => undefined,
      again: async () => undefined,
    },
    find: async (users) => ({
      read: users.map((user) => ({ ...WATCH, id: user, user })),
      unread: [],
      unreadable: [],
    }),
    largestPacket: 16_777_216,
    channels: { webhook: channel, kafka: channel },
    most: 6,
    drainMs: 5_000,
    kinds: new Set(['contacts']),
    logger: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    clock: () => 1_000_000,
    ...options,
  });
  return { notifier, lines };
}

describe('a notifier', () => {
  it('that ends waits for its deliveries, but not for ever: what has no outcome then is tried again', async () => {
    const saves: (readonly WatchSave[])[] = [];
    const begun = Promise.withResolvers<void>();
    const stuck = {
      deliver: (some: readonly unknown[]) => {
        begun.resolve();
        return some.map(() => new Promise<never>(() => {}));
      },
      close: async () => {},
    };
    const { notifier } = notifierOn({ users: 1 }, { channels: { webhook: stuck, kafka: stuck }, drainMs: 10 }, saves);
    const ending = new AbortController();
    const running = notifier.run(ending.signal);
    await begun.promise;
    ending.abort();
    await running;
    expect(saves.flat().map(({ outgoing }) => outgoing?.attempts)).toEqual([0, 1]);
  });

  it('says of many deliveries that they take long, page by page', async () => {
    const saves: (readonly WatchSave[])[] = [];
    const stuck = {
      deliver: (some: readonly unknown[]) => some.map(() => new Promise<never>(() => {})),
      close: async () => {},
    };
    const clock = { now: 1_000_000 };
    const options = { channels: { webhook: stuck, kafka: stuck }, clock: () => clock.now };
    const { notifier } = notifierOn({ users: 2 * PAGE }, options, saves);
    await notifier.begin();
    await notifier.begin();
    saves.length = 0;
    clock.now += 5_000;
    await notifier.prolong();
    expect(saves.map((some) => some.length)).toEqual([PAGE, PAGE]);
  });

  it('is behind while a full page was taken, or as much is on its way as it delivers at once', async () => {
    const waiting = { users: PAGE };
    const stuck = {
      deliver: (some: readonly unknown[]) => some.map(() => new Promise<never>(() => {})),
      close: async () => {},
    };
    const { notifier } = notifierOn(waiting, { channels: { webhook: stuck, kafka: stuck } });
    expect(notifier.isBehind).toBe(false);
    await notifier.begin();
    expect(notifier.isBehind).toBe(true);
    for (const users of [PAGE - 1, 0]) {
      waiting.users = users;
      await notifier.begin();
      expect(notifier.isBehind).toBe(false);
    }
    waiting.users = 5_000;
    while ((await notifier.begin()) > 0);
    expect(waiting.users, 'it took no more').toBeGreaterThan(0);
    expect(notifier.isBehind).toBe(true);
    expect(await notifier.begin()).toBe(0);
    expect(notifier.isBehind).toBe(true);
  });

  it('writes one line a minute about an endpoint that fails, with the number left out', async () => {
    let elapsed = 0;
    const waiting = { users: 10_000 };
    const { notifier, lines } = notifierOn(waiting, { elapsed: () => elapsed });
    while ((await notifier.runOnce()) > 0);
    expect(lines).toMatchObject([{ watch: '1', endpoint: 'user.example.com', why: 'the endpoint answered 500' }]);
    elapsed = 60_000;
    waiting.users = 1;
    await notifier.runOnce();
    expect(lines.slice(1)).toMatchObject([{ leftOut: 9_999 }]);
  });
});
