import { fc } from '@fast-check/vitest';
import { until } from '../support/until.ts';
import { OtherProcess } from './other-process.ts';
import { freshTasks } from './outgoing-task.ts';
import type { Opened } from './place.ts';

/** An event in the life of a transport. The number selects a consumer, or says how many tasks. */
export type Event =
  | { readonly kind: 'publish'; readonly count: number }
  | { readonly kind: 'join'; readonly rejects: boolean }
  | { readonly kind: 'take' | 'reject' | 'stop' | 'kill'; readonly which: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 700 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join' as const), rejects: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('take', 'reject', 'stop', 'kill'), which: fc.nat({ max: 5 }) }),
  },
) as fc.Arbitrary<Event>;

export const someHistory = fc.array(event, { minLength: 6, maxLength: 12 });

/** Maximum number of consumers alive at once: each is a process. */
const MOST = 3;

/** Time for the last consumer to process what is left, after others were killed while they joined or worked, ms. */
export function historyMs(holdMs: number): number {
  return holdMs * 10 + 180_000;
}

/** Plays the history, then lets one more consumer process what is left. */
export async function playHistory(history: readonly Event[], opened: Opened, holdMs: number) {
  const published: string[] = [];
  const everybody: OtherProcess[] = [];
  const alive: OtherProcess[] = [];
  const join = (rejects: boolean) => {
    if (alive.length === MOST) return;
    const consumer = new OtherProcess(opened.place, rejects ? 'reject' : 'take', { holdMs });
    everybody.push(consumer);
    alive.push(consumer);
  };
  const act = async (one: Event) => {
    if (one.kind === 'publish') {
      const tasks = freshTasks(one.count);
      await opened.publisher.publish(tasks);
      published.push(...tasks.map(({ id }) => id));
    } else if (one.kind === 'join') join(one.rejects);
    else if (alive.length > 0) await meet(one.kind, alive, one.which % alive.length);
  };
  try {
    join(false);
    for (const one of history) await act(one);
    for (const consumer of alive) consumer.behave('take');
    alive.length = 0;
    join(false);
    const handled = () => new Set(everybody.flatMap((one) => one.all('handled')));
    const isEverythingHandled = () => {
      const done = handled();
      return published.every((id) => done.has(id));
    };
    await until(isEverythingHandled, {
      timeout: historyMs(holdMs),
      interval: 100,
      what: 'everything published is handled',
    });
    return { published, handled: handled() };
  } finally {
    await Promise.all(everybody.map((one) => one.kill()));
  }
}

async function meet(kind: 'take' | 'reject' | 'stop' | 'kill', alive: OtherProcess[], which: number): Promise<void> {
  const consumer = alive[which];
  if (kind === 'take' || kind === 'reject') return consumer?.behave(kind);
  alive.splice(which, 1);
  await (kind === 'kill' ? consumer?.kill() : consumer?.stop());
}
