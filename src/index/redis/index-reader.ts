import type { Id } from '../../contracts/id.ts';
import type { Key } from '../../contracts/key.ts';
import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';
import { isSlotMoving, isWriteRefused } from '../../redis/unavailable.ts';
import type { Allowance } from '../allowance.ts';
import type { Nonce, Reading, WarmReading } from '../contact-index.ts';
import type { KeyNames } from './keys.ts';

/**
 * The value of a user's key `m`, as lua/apply.lua and lua/replace.lua write it: `<nonce> <epoch> <size> <day> <floor>`.
 * A nonce alone is the placeholder of a rebuild. That of an index ends with the allowance, `:<left><whole>`.
 */
const WHOLE = /^(?<nonce>[^ ]+) (?<epoch>[^ ]+) (?<size>\d{3}) (?<day>[0-9a-f]{4}) (?<floor>.+)$/;

/** What is left of an allowance, and a new one: four hex digits each. An index that 0.1.0 has written lacks it. */
const ALLOWANCE = /:(?<left>[0-9a-f]{4})(?<whole>[0-9a-f]{4})$/;

/** The floor: its score in sixteen digits, followed by its id. */
const FLOOR = /^(?<at>\d{16})(?<id>[1-9]\d*)$/;

const NO_FLOOR = '-';

/** @param meta null: there is no such key, or one of another type; then the nonce is '' */
export function nonceIn(meta: string | null): Nonce {
  if (meta === null) return '';
  const end = meta.indexOf(' ');
  return end < 0 ? meta : meta.slice(0, end);
}

/** @param reply for one user, as documented in lua/read.lua */
function readingOf(reply: unknown, replicationId: string): Reading {
  const [meta, members, head] = reply as [string | null, number | undefined, readonly string[]];
  if (members === undefined) return { state: 'wrong_type' };
  if (meta === null) return { state: members === 0 ? 'cold' : 'torn' };
  if (!meta.includes(' ')) return { state: 'building' };
  const { nonce = '', epoch, size, day, floor = '' } = WHOLE.exec(meta)?.groups ?? {};
  if (epoch === undefined) return { state: 'torn' };
  if (Number(size) !== members) return { state: 'torn', epoch };
  const lowest = FLOOR.exec(floor)?.groups;
  if (floor !== NO_FLOOR && lowest === undefined) return { state: 'torn', epoch, unreadableFloor: true };
  return {
    ...{ state: 'warm', nonce, epoch, size: members, floor: lowest && keyOf(lowest), head: keysOf(head) },
    lastUsed: fromHex(day),
    allowance: allowanceIn(nonce),
    replicationId,
  };
}

function allowanceIn(nonce: Nonce): WarmReading['allowance'] {
  const { left, whole } = ALLOWANCE.exec(nonce)?.groups ?? {};
  return left === undefined ? undefined : { left: fromHex(left), whole: fromHex(whole) };
}

/** Four hex digits. */
export function hexOf(allowance: Allowance): string {
  return allowance.toString(16).padStart(4, '0');
}

function fromHex(digits: string | undefined): number {
  return Number.parseInt(String(digits), 16);
}

function keyOf({ at, id }: Record<string, string>): Key {
  return { at: Number(at), id: String(id) };
}

function keysOf(head: readonly string[]): Key[] {
  const keys: Key[] = [];
  for (let i = 0; i < head.length; i += 2) keys.push({ id: String(head[i]), at: Number(head[i + 1]) });
  return keys;
}

const READ = new URL('./lua/read.lua', import.meta.url);

/** Reads indexes by lua/read.lua, which a master runs also while it refuses writes. */
export class IndexReader {
  readonly #names: KeyNames;
  readonly #read: Script;
  readonly #readUnflagged: Script;

  constructor(client: RedisClient, names: KeyNames) {
    this.#names = names;
    this.#read = defineScript(client, 'read', READ);
    this.#readUnflagged = defineScript(client, 'read_unflagged', READ, { unflagged: true });
  }

  /** One user's index, also while its slot moves to another node of a cluster. @throws RedisUnavailable */
  async read(user: Id, count: number, touch: boolean): Promise<Reading> {
    const keys = this.#names.all(user);
    // The note rarely exists, and while a slot moves Redis refuses a call if one of its keys does not exist there.
    const moving = (error: unknown) =>
      isSlotMoving(error) ? this.#call(keys.slice(0, 2), count, touch) : Promise.reject(error);
    const [reading] = await this.#call(keys, count, touch).catch(moving);
    return reading as Reading;
  }

  /**
   * The indexes of users of one bucket, in one call.
   * @throws RedisUnavailable; isSlotMoving: while some of the keys are on another node
   */
  readMany(users: readonly Id[], count: number, touch: boolean): Promise<Reading[]> {
    const keys = users.flatMap((user) => this.#names.all(user));
    return this.#call(keys, count, touch);
  }

  async #call(keys: string[], count: number, touch: boolean): Promise<Reading[]> {
    const args = [count, touch ? 1 : 0];
    const unflagged = (error: unknown) =>
      isWriteRefused(error) ? this.#readUnflagged(keys, args) : Promise.reject(error);
    const [replicationId, ...replies] = (await this.#read(keys, args).catch(unflagged)) as [string, ...unknown[]];
    return replies.map((reply) => readingOf(reply, replicationId));
  }
}
