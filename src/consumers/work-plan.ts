import type { Id } from '../contracts/id.ts';
import type { ContactTask, Task } from '../contracts/task.ts';
import type { FanOut } from '../index/fan-out.ts';
import type { Hint } from '../index/refresh.ts';

/** A decoded task, and where it came from. */
export interface ReceivedTask {
  readonly position: string;
  readonly task: Task;
}

/** What a batch of tasks comes to, once those that say the same are one. */
export interface WorkPlan {
  /** Each pair once. */
  readonly hints: readonly Hint[];
  /** Each owner once, with every task of theirs. */
  readonly fanOuts: readonly FanOut[];
  /** Users whose indexes are dropped: they have changed. */
  readonly dropped: readonly Id[];
  /** Users of whom nothing is kept, and for whom nothing waits any more: they are gone. */
  readonly forgotten: readonly Id[];
}

/**
 * All of the site's actions become refreshes, so tasks of one pair are one refresh, and several uploads of one person
 * are one fan-out. A change of a user concerns both sides: as an owner, the user is fanned out to everybody who has a row
 * with them; as a viewer, any of the rows of their own index may be different, so the index is dropped, and the next read
 * builds it from what is committed by then. Which of the two is done first makes no difference: they are of different
 * users' indexes, and the task is acknowledged after both.
 */
export function planWork(received: readonly ReceivedTask[]): WorkPlan {
  const hints = new Map<string, Hint>();
  const fanOuts = new Map<Id, string[]>();
  const dropped = new Set<Id>();
  const forgotten = new Set<Id>();
  for (const { task, position } of received) {
    if ('contact' in task) for (const hint of hintsOf(task)) addHint(hints, hint);
    else if ('owner' in task) addFanOut(fanOuts, task.owner, position);
    else {
      (task.type === 'recency.user.deleted' ? forgotten : dropped).add(task.user);
      addFanOut(fanOuts, task.user, position);
    }
  }
  return {
    hints: [...hints.values()],
    fanOuts: [...fanOuts].map(([owner, tasks]) => ({ owner, tasks })),
    dropped: [...dropped].filter((user) => !forgotten.has(user)),
    forgotten: [...forgotten],
  };
}

/**
 * Both sides: what the user grants decides what the contact sees. The version is that of the user's own row, and tells of the
 * other side as well, because both are read in one snapshot: they stand side by side in every plan.
 */
function hintsOf({ user, contact, version }: ContactTask): Hint[] {
  const own: Hint = version === undefined ? { user, contact } : { user, contact, version };
  return [own, { user: contact, contact: user }];
}

/** Of several versions of one pair, the newest must be seen. */
function addHint(hints: Map<string, Hint>, hint: Hint): void {
  const pair = `${hint.user} ${hint.contact}`;
  const other = hints.get(pair);
  if (other?.version === undefined || (hint.version !== undefined && BigInt(hint.version) > BigInt(other.version))) {
    hints.set(pair, hint.version === undefined && other !== undefined ? other : hint);
  }
}

function addFanOut(fanOuts: Map<Id, string[]>, owner: Id, position: string): void {
  const tasks = fanOuts.get(owner);
  if (tasks) tasks.push(position);
  else fanOuts.set(owner, [position]);
}
