import { expect } from 'vitest';
import type { Id } from '../../src/contracts/id.ts';
import type { Steps } from '../../src/index/protocol.ts';
import type { Database } from '../../src/mysql/database.ts';
import { runToEnd } from '../../src/repair/job.ts';
import type { RunRequest } from '../../src/repair/run-parameters.ts';
import { ContactsDatabase } from './contacts-database.ts';
import type { RepairSite } from './repair-site.ts';

/** A database whose process may die at a write, before or after it is done. */
class MortalDatabase extends ContactsDatabase {
  readonly #live: () => void;

  /** @param live called before and after each write; its error stands for the death */
  constructor(url: string, live: () => void) {
    super(url, { connections: 2, queue: 10, deadlineMs: 60_000 });
    this.#live = live;
  }

  override async write(...args: Parameters<Database['write']>) {
    this.#live();
    const result = await super.write(...args);
    this.#live();
    return result;
  }
}

class Killed extends Error {}

interface Mortality<J> {
  readonly kills: number;
  /** How many steps and writes to MySQL the process survives that is killed next, after this many kills. */
  readonly lifeOf: (kill: number) => number;
  readonly create: (stores: { primary: ContactsDatabase; steps: Steps }, request: RunRequest) => Promise<J>;
}

/**
 * Runs a job that is killed at a step or a write to MySQL, before or after it is done, and is resumed each time.
 * @returns the job that reached the end, and everyone whose index was replaced, once for each time
 */
export async function runThroughKills<J extends Parameters<typeof runToEnd>[0] & { isStarted: boolean; id: Id }>(
  { stores: { url }, repair: { steps } }: RepairSite,
  { kills, lifeOf, create }: Mortality<J>,
): Promise<{ job: J; replaced: Id[] }> {
  const replaced: Id[] = [];
  let resume: Id | undefined;
  for (let kill = 0; ; kill++) {
    let left = kill < kills ? lifeOf(kill) : Number.POSITIVE_INFINITY;
    const live = () => {
      if (--left === 0) throw new Killed('killed');
    };
    const primary = new MortalDatabase(url, live);
    const replace: Steps['replace'] = async (epoch, requests) => {
      live();
      const outcomes = await steps.replace(epoch, requests);
      replaced.push(...requests.map(({ user }) => user));
      live();
      return outcomes;
    };
    const job = await create({ primary, steps: { ...steps, replace } }, resume ? { resume } : {});
    const error = await runToEnd(job).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    await primary.close();
    if (error === undefined) {
      expect(kill).toBe(kills);
      return { job, replaced };
    }
    expect(error).toBeInstanceOf(Killed);
    if (job.isStarted) resume ??= job.id;
  }
}
