import type { Id } from '../contracts/id.ts';
import type { Key } from '../contracts/key.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, type Script } from '../redis/script.ts';
import { reply } from '../redis/unavailable.ts';
import type {
  ApplyOutcome,
  ApplyRequest,
  ContactIndex,
  Epoch,
  Nonce,
  Reading,
  ReplaceOutcome,
  ReplaceRequest,
} from './contact-index.ts';
import { bucketOf, KeyNames } from './keys.ts';

export interface ContactIndexOptions {
  /** The most members an index keeps, and the size below which a rebuild is due. */
  readonly max: number;
  readonly min: number;
  /** ms after which an index that nobody reads is dropped; 0: never. */
  readonly idleMs: number;
  readonly prefix: string;
  /** A fresh nonce: at least 64 bits from the client's secure generator. */
  readonly freshNonce: () => Nonce;
}

/** Users in one script call, so that no call holds Redis up for long. */
const USERS_A_CALL = 500;

/** A placeholder outlives a rebuild that never ends by this long. */
const PLACEHOLDER_MS = 600_000;

const APPLY_OUTCOMES: Readonly<Record<string, ApplyOutcome>> = {
  A: 'applied',
  B: 'rebuild_due',
  R: 'raced',
  C: 'cold',
  D: 'dropped',
  W: 'wrong_type',
};

const REPLACE_OUTCOMES: Readonly<Record<string, ReplaceOutcome>> = { A: 'replaced', R: 'raced', W: 'wrong_type' };

/** The indexes in Redis, on one server or on a cluster. */
export class RedisContactIndex implements ContactIndex {
  readonly #client: RedisClient;
  readonly #options: ContactIndexOptions;
  readonly #names: KeyNames;
  readonly #nonces: Script;
  readonly #apply: Script;
  readonly #claim: Script;
  readonly #replace: Script;
  readonly #read: Script;

  constructor(client: RedisClient, options: ContactIndexOptions) {
    const script = (name: string) => defineScript(client, name, new URL(`./lua/${name}.lua`, import.meta.url));
    this.#client = client;
    this.#options = options;
    this.#names = new KeyNames(options.prefix);
    this.#nonces = script('nonces');
    this.#apply = script('apply');
    this.#claim = script('claim');
    this.#replace = script('replace');
    this.#read = script('read');
  }

  nonces(users: readonly Id[]): Promise<Nonce[]> {
    return this.#inCalls(
      users,
      (user) => user,
      async (some) =>
        list(
          await this.#nonces(
            some.map((user) => this.#names.meta(user)),
            [],
          ),
        ),
    );
  }

  apply(epoch: Epoch, requests: readonly ApplyRequest[]): Promise<ApplyOutcome[]> {
    const { max, min, freshNonce } = this.#options;
    return this.#inCalls(
      requests,
      (request) => request.user,
      async (some) => {
        const args: (string | number)[] = [max, min, epoch, freshNonce()];
        for (const { seen, changes } of some) {
          args.push(seen, changes.length);
          for (const { id, at } of changes) args.push(id, at);
        }
        return outcomes(APPLY_OUTCOMES, await this.#apply(this.#keys(some), args));
      },
    );
  }

  claim(users: readonly Id[]): Promise<Nonce[]> {
    return this.#inCalls(
      users,
      (user) => user,
      async (some) =>
        list(
          await this.#claim(this.#keys(some.map((user) => ({ user }))), [this.#options.freshNonce(), PLACEHOLDER_MS]),
        ),
    );
  }

  replace(epoch: Epoch, requests: readonly ReplaceRequest[]): Promise<ReplaceOutcome[]> {
    const { max, idleMs, freshNonce } = this.#options;
    return this.#inCalls(
      requests,
      (request) => request.user,
      async (some) => {
        const args: (string | number)[] = [max, epoch, freshNonce(), idleMs];
        for (const { seen, top } of some) {
          args.push(seen, top.length);
          for (const { id, at } of top) args.push(at, id);
        }
        return outcomes(REPLACE_OUTCOMES, await this.#replace(this.#keys(some), args));
      },
    );
  }

  async read(user: Id, count: number, touch: boolean): Promise<Reading> {
    const ttl = touch ? this.#options.idleMs : 0;
    return reading(await this.#read([this.#names.set(user), this.#names.meta(user)], [count, ttl]));
  }

  async expiresInMs(user: Id): Promise<number | undefined> {
    const left = await reply(this.#client.pttl(this.#names.meta(user)));
    return left < 0 ? undefined : left;
  }

  async forget(users: readonly Id[]): Promise<void> {
    await this.#inCalls(
      users,
      (user) => user,
      async (some) => {
        await reply(this.#client.unlink(...this.#keys(some.map((user) => ({ user })))));
        return some;
      },
    );
  }

  #keys(requests: readonly { user: Id }[]): string[] {
    return requests.flatMap(({ user }) => [this.#names.set(user), this.#names.meta(user)]);
  }

  /** Splits the items into calls, by bucket on a cluster, and puts the answers back into the order of the items. */
  async #inCalls<I, O>(items: readonly I[], userOf: (item: I) => Id, call: (some: I[]) => Promise<O[]>): Promise<O[]> {
    const groups = this.#client.isCluster ? groupsBy(items, (item) => bucketOf(userOf(item))) : [items.keys()];
    const answers = new Array<O>(items.length);
    const calls: Promise<void>[] = [];
    for (const group of groups) {
      for (const places of chunks([...group], USERS_A_CALL)) {
        const some = places.map((place) => items[place] as I);
        calls.push(
          call(some).then((replies) => {
            for (const [i, place] of places.entries()) answers[place] = replies[i] as O;
          }),
        );
      }
    }
    await Promise.all(calls);
    return answers;
  }
}

/** The places of the items in each group. */
function groupsBy<I>(items: readonly I[], key: (item: I) => number): Iterable<number[]> {
  const groups = new Map<number, number[]>();
  for (const [place, item] of items.entries()) {
    const group = groups.get(key(item));
    if (group) group.push(place);
    else groups.set(key(item), [place]);
  }
  return groups.values();
}

function* chunks<T>(items: readonly T[], size: number): Iterable<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

function list(raw: unknown): string[] {
  return raw as string[];
}

function outcomes<T>(names: Readonly<Record<string, T>>, raw: unknown): T[] {
  return Array.from(String(raw), (letter) => {
    const name = names[letter];
    if (name === undefined) throw new Error(`a script of the index answered with the unknown outcome '${letter}'`);
    return name;
  });
}

function reading(raw: unknown): Reading {
  const [nonce, epoch, size, floorAt, floorId, members, head] = raw as [
    ...(string | null)[],
    number,
    string[],
  ] as unknown as [string | null, string | null, string | null, string | null, string | null, number, string[]];
  if (members === undefined) return { state: 'wrong_type' };
  if (nonce === null && epoch === null) return { state: members === 0 ? 'cold' : 'torn' };
  if (epoch === null && size === null) return { state: 'building' };
  if (nonce === null || epoch === null || floorAt === null || floorId === null || Number(size ?? -1) !== members) {
    return epoch === null ? { state: 'torn' } : { state: 'torn', epoch };
  }
  if (!isReadable(floorAt)) return { state: 'torn', epoch, unreadableFloor: true };
  return { state: 'warm', nonce, epoch, size: members, floor: floorOf(floorAt, floorId), head: keysOf(head) };
}

function isReadable(floorAt: string): boolean {
  return floorAt === '-inf' || (floorAt.trim() !== '' && Number.isFinite(Number(floorAt)));
}

function floorOf(at: string, id: string): Key | undefined {
  return at === '-inf' ? undefined : { at: Number(at), id };
}

function keysOf(head: readonly string[]): Key[] {
  const keys: Key[] = [];
  for (let i = 0; i < head.length; i += 2) keys.push({ id: String(head[i]), at: Number(head[i + 1]) });
  return keys;
}
