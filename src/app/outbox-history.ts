import { z } from 'zod';
import { bumpKeepingSuspension } from '../index/epoch.ts';
import type { Database } from '../mysql/database.ts';
import { serverOn } from '../mysql/epoch-token.ts';
import { isSameTaskThere, readNewestTask, type WrittenTask } from '../mysql/newest-task.ts';
import { type TextRecord, valueIn } from '../redis/text-record.ts';

export interface OutboxHistoryOptions {
  readonly primary: Database;
  /** The newest task that was seen on each server of MySQL, in Redis, where no restore of MySQL sets it back. */
  readonly kept: Pick<TextRecord, 'read' | 'replace'>;
  /** A new epoch has begun, and why. */
  readonly onNewEpoch: (why: string) => void;
}

/** The key in Redis. */
export const newestTasksKey = (prefix: string) => `${prefix}:newest-tasks`;

/** By the proof of the server (see ../mysql/session.ts). */
const KEPT = z.record(z.string(), z.object({ id: z.string().regex(/^\d+$/), createdAt: z.string() }));

type NewestTasks = Readonly<z.infer<typeof KEPT>>;

/** Servers that are remembered. */
const MOST_SERVERS = 8;

/**
 * Notices that MySQL has gone back although it is the server that it was, by the newest task of the outbox, which Redis keeps as well: MySQL
 * has it no longer, or has less than that. A backup was restored in place, or somebody has emptied the outbox, perhaps while the
 * site wrote on: tasks that nobody had published are gone, and indexes may have what MySQL has not. So a new epoch begins.
 */
export class OutboxHistory {
  readonly #options: OutboxHistoryOptions;

  constructor(options: OutboxHistoryOptions) {
    this.#options = options;
  }

  /**
   * Compares the outbox with what was seen of it before.
   * @returns the token of the epoch in force
   * @throws RedisUnavailable, DatabaseUnavailable, DatabaseNotPrimary, EpochMissing
   */
  async epoch(): Promise<string> {
    const { primary, kept, onNewEpoch } = this.#options;
    const text = await kept.read(); // first: the outbox has at least what another process saw by then
    const { epoch, ...newest } = await readNewestTask(primary);
    const tasks = valueIn(KEPT, text) ?? {};
    const server = serverOn(epoch) ?? '';
    const before = tasks[server];
    const why = before && (await this.#whatWentBack(before, newest));
    const token = why === undefined ? epoch : await bumpKeepingSuspension(primary, why);
    if (why !== undefined) onNewEpoch(why);
    if (before?.id !== newest.id || why !== undefined) await kept.replace(text, textWith(tasks, server, newest));
    return token;
  }

  async #whatWentBack(before: WrittenTask, newest: WrittenTask): Promise<string | undefined> {
    const lost = 'tasks were removed from the outbox, or MySQL was set back';
    if (BigInt(newest.id) < BigInt(before.id)) return `${lost}: the newest was ${before.id}, and is ${newest.id}`;
    return (await this.#isThere(before, newest)) ? undefined : `${lost}: task ${before.id} is gone`;
  }

  async #isThere(before: WrittenTask, newest: WrittenTask): Promise<boolean> {
    if (before.id === newest.id) return before.createdAt === newest.createdAt;
    return await isSameTaskThere(this.#options.primary, before);
  }
}

function textWith(kept: NewestTasks, server: string, newest: WrittenTask): string {
  const others = Object.entries(kept).filter(([name]) => name !== server);
  return JSON.stringify(Object.fromEntries([...others.slice(1 - MOST_SERVERS), [server, newest]]));
}
