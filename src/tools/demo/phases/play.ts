import { setTimeout as pause } from 'node:timers/promises';
import { settle } from '../../harness/stores.ts';
import type { Shown, Wrong } from '../play/judge.ts';
import { LISTS, type ReadCounts, Reader } from '../play/reader.ts';
import { Stage } from '../play/stage.ts';
import { runWriters } from '../play/writers.ts';
import type { ReportProgress } from '../story.ts';
import type { World } from '../world.ts';
import { type KillReport, killConsumer } from './kill-consumer.ts';

export interface PlayReport {
  readonly changes: number;
  readonly seconds: number;
  readonly reads: ReadCounts;
  readonly killed: KillReport;
  /** The first wrong items found in answers. */
  readonly examples: readonly string[];
}

const WRITERS = 8;
const CHANGES_A_SECOND = 400;
const READERS = 3;
const READS_A_SECOND = 200;

/** When the consumer is killed, as a share of the play. */
const BEFORE_THE_KILL = 0.3;

const EXAMPLES = 5;

const LOOK_MS = 20;

/**
 * People use the site, the API is read, and a consumer is killed halfway. Reads continue until every task is applied.
 * @throws Error when the site or the API fails
 */
export async function play(world: World, seconds: number, progress: ReportProgress): Promise<PlayReport> {
  const { random, cast } = world;
  const stage = new Stage({ ...world, players: cast.players });
  const examples: string[] = [];
  const onWrong = (wrong: Wrong, shown: Shown) => {
    if (examples.length < EXAMPLES) examples.push(describeWrong(wrong, shown));
  };
  const everybody = [...cast.players, ...cast.measured.map(({ user }) => user)];
  const nextUser = () => (random() < 0.05 ? (everybody.at(-1) ?? '') : stage.anyPlayer());
  const now = () => performance.now();
  const reader = new Reader({ ...world, client: world.api, lists: LISTS, nextUser, onWrong, now });

  const reading = new AbortController();
  const reads = reader.run(READERS, READS_A_SECOND, AbortSignal.any([reading.signal, world.signal]));
  const from = performance.now();
  const acted = act(world, stage, seconds, progress).finally(() => reading.abort());
  const [{ changes, killed }] = await Promise.all([acted, reads]);
  return { changes, killed, seconds: (performance.now() - from) / 1000, reads: reader.counts, examples };
}

async function act(world: World, stage: Stage, seconds: number, progress: ReportProgress) {
  const writing = new AbortController();
  const signal = AbortSignal.any([writing.signal, world.signal]);
  let changes = 0;
  const onChange = () => {
    changes++;
  };
  const begun = performance.now();
  const ticking = setInterval(() => progress(Math.min((performance.now() - begun) / 1000, seconds), seconds), 100);
  try {
    const writers = runWriters({ stage, atOnce: WRITERS, rate: CHANGES_A_SECOND, onChange }, signal);
    const kill = pause(seconds * 1000 * BEFORE_THE_KILL, undefined, { signal }).then(() => killConsumer(world));
    const end = pause(seconds * 1000, undefined, { signal }).then(() => writing.abort());
    const [killed] = await Promise.all([kill, end, writers]);
    await settleAll(world);
    return { changes, killed };
  } finally {
    writing.abort();
    clearInterval(ticking);
  }
}

/** Includes the tasks that are sent a second time. */
async function settleAll({ services, raiseBarrier, signal }: World): Promise<void> {
  await settle(raiseBarrier, signal);
  while (services.relayCounts.held > 0) await pause(LOOK_MS, undefined, { signal });
  await settle(raiseBarrier, signal);
  await services.updateCounts();
}

function describeWrong(wrong: Wrong, shown: Shown): string {
  const { user, at, photo } = shown;
  const source = 'group' in shown ? `group ${shown.group}` : shown.contact;
  const what = photo === undefined ? `a photo of ${new Date(at).toISOString()}` : `photo ${photo}`;
  if (wrong === 'not_a_contact') return `user ${user} was shown ${source}, who is not a contact`;
  if (wrong === 'not_a_member') return `user ${user} was shown ${source}, which they are not in`;
  return `user ${user} was shown ${what} of ${source}, which they may not see`;
}
