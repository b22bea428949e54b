import { randomBytes } from 'node:crypto';
import type { Cluster } from 'ioredis';
import { defineScript, type RedisClient, type Script } from './connection.ts';
import { HASH_TAGS, slotOf } from './hash-tags.ts';
import type { RedisMaster } from './masters.ts';

/** Longer than a process is kept from looking. A mark that has expired counts as one that is gone. */
const KEPT_MS = 86_400_000;

interface Mark {
  /** Of its key, which is on the master. */
  readonly tag: string;
  /** What the key has; undefined: none was left yet. */
  readonly value: number | undefined;
}

/**
 * A mark that a process leaves on each master at each look, and must find there at the next one.
 *
 * A server that runs on, and says of itself what it said before, may hold what it held before: DEBUG RELOAD NOSAVE, a snapshot that was
 * loaded into it, SWAPDB with a copy, keys that a tool has restored. What was written since then is gone, and so is the mark. Each
 * process has marks of its own: in a common one, what the others write afterwards would hide that.
 */
export class OwnMarks {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #leave: Script;
  readonly #process = randomBytes(9).toString('base64url');
  /** By the master's identity. Another master has none yet, and its comparison begins an epoch anyway. */
  #left: ReadonlyMap<string, Mark> = new Map();

  constructor(client: RedisClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
    this.#leave = defineScript(client, 'leave_mark', new URL('./lua/leave-mark.lua', import.meta.url));
  }

  /**
   * Leaves another mark on each of the masters.
   * @returns whether the last one is gone from any of them
   * @throws RedisUnavailable when one did not answer and none has lost its mark; the next look says it
   */
  async areGone(masters: readonly RedisMaster[]): Promise<boolean> {
    const marks = masters.map((master) => [nameOf(master), this.#markFor(master)] as const);
    this.#left = new Map(marks.flatMap(([name, mark]) => (mark === undefined ? [] : [[name, mark]])));
    const looks = await Promise.allSettled([...this.#left].map(([name, mark]) => this.#isGone(name, mark)));
    const areGone = looks.some((look) => look.status === 'fulfilled' && look.value);
    for (const look of looks) if (look.status === 'rejected' && !areGone) throw look.reason;
    return areGone;
  }

  /** @returns undefined: none of Recency's keys are there */
  #markFor(master: RedisMaster): Mark | undefined {
    const before = this.#left.get(nameOf(master));
    if (before !== undefined && this.#isOn(master, before.tag)) return before;
    const tag = HASH_TAGS.find((one) => this.#isOn(master, one));
    return tag === undefined ? undefined : { tag, value: undefined };
  }

  #isOn({ address }: RedisMaster, tag: string): boolean {
    return !this.#client.isCluster || (this.#client as Cluster).slots[slotOf(tag)]?.[0] === address;
  }

  async #isGone(name: string, { tag, value }: Mark): Promise<boolean> {
    const next = (value ?? 0) + 1;
    const before = await this.#leave([`${this.#prefix}:{${tag}}:mark:${this.#process}`], [next, KEPT_MS]);
    this.#left = new Map([...this.#left, [name, { tag, value: next }]]);
    return value !== undefined && before !== String(value);
  }
}

function nameOf({ runId, replicationId, address }: RedisMaster): string {
  return `${address} ${runId} ${replicationId}`;
}
