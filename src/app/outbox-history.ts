import { z } from 'zod';
import { bumpKeepingSuspension } from '../index/epoch.ts';
import type { RedisTrust } from '../index/epoch-watch.ts';
import type { Database } from '../mysql/database.ts';
import { serverOn } from '../mysql/epoch-token.ts';
import { isSameTaskThere, readNewestTask, type WrittenTask } from '../mysql/newest-task.ts';
import { type TextRecord, valueIn } from '../redis/text-record.ts';

export interface OutboxHistoryOptions {
  readonly primary: Database;
  /** The newest task that was seen on each server of MySQL, in Redis, where no restore of MySQL sets it back. */
  readonly kept: Pick<TextRecord, 'read' | 'replace'>;
  /** Of the same Redis. */
  readonly watch: Pick<RedisTrust, 'during' | 'distrust'>;
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
 * Notices that MySQL or Redis has gone back although each is the server that it was, by the newest task of the outbox, which both keep:
 *
 * - MySQL has it no longer, or has less than that. A backup was restored in place, or somebody has emptied the outbox, perhaps while the
 *   site wrote on: tasks that nobody had published are gone, and indexes may have what MySQL has not.
 * - Redis keeps less than this process has seen there. It was the replica of an older server for a moment, or has read an older file.
 *
 * So a new epoch begins, unless one has begun since: most of what sets Redis back also makes it another server than the one on record.
 */
export class OutboxHistory {
  readonly #options: OutboxHistoryOptions;
  /** The newest that Redis was seen to keep in the epoch that was in force when last asked. */
  #seen: { readonly epoch: string; readonly id: bigint } | undefined;

  constructor(options: OutboxHistoryOptions) {
    this.#options = options;
  }

  /**
   * Compares the outbox with what was seen of it before.
   * @returns the token of the epoch in force
   * @throws RedisUnavailable, DatabaseUnavailable, DatabaseNotPrimary, EpochMissing
   */
  async epoch(): Promise<string> {
    const { primary, kept, watch, onNewEpoch } = this.#options;
    const first = await this.#look();
    if (first.why !== undefined) watch.distrust(); // compares the servers, which begins an epoch if they are others
    const { why, epoch, text, tasks, newest } =
      first.why === undefined ? first : await watch.during(() => this.#look());
    const token = why === undefined ? epoch : await bumpKeepingSuspension(primary, why);
    if (why !== undefined) onNewEpoch(why);
    const server = serverOn(epoch) ?? '';
    const isKept = tasks[server]?.id === newest.id && why === undefined;
    if (isKept || (await kept.replace(text, textWith(tasks, server, newest))))
      this.#seen = { epoch: token, id: BigInt(newest.id) };
    return token;
  }

  /** Changes nothing. */
  async #look() {
    const { primary, kept } = this.#options;
    const text = await kept.read(); // first: the outbox has at least what another process saw by then
    const { epoch, ...newest } = await readNewestTask(primary);
    const tasks = valueIn(KEPT, text) ?? {};
    const before = tasks[serverOn(epoch) ?? ''];
    const why = before && (await this.#whatWentBack(epoch, before, newest));
    return { why, epoch, text, tasks, newest };
  }

  async #whatWentBack(epoch: string, before: WrittenTask, newest: WrittenTask): Promise<string | undefined> {
    const [idBefore, idNow] = [BigInt(before.id), BigInt(newest.id)];
    const lost = 'tasks were removed from the outbox, or MySQL was set back';
    if (idNow < idBefore) return `${lost}: the newest was ${idBefore}, and is ${idNow}`;
    if (!(await this.#isThere(before, newest))) return `${lost}: task ${idBefore} is gone`;
    const seen = this.#seen?.epoch === epoch ? this.#seen.id : 0n;
    if (idBefore >= seen) return undefined;
    return `Redis was set back: the newest task that it knew was ${seen}, and is ${idBefore}`;
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
