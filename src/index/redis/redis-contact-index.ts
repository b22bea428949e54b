import type { Id } from '../../contracts/id.ts';
import type { RedisClient } from '../../redis/connection.ts';
import { defineScript, type Script, type ScriptOptions } from '../../redis/script.ts';
import { isSlotMoving, isWriteRefused, reply } from '../../redis/unavailable.ts';
import type {
  ApplyOutcome,
  ApplyRequest,
  ContactIndex,
  Epoch,
  Nonce,
  Reading,
  ReplaceOutcome,
  ReplaceRequest,
} from '../contact-index.ts';
import { KeyNames } from './keys.ts';
import { nonceIn, readingOf } from './meta.ts';
import { inUserCalls, type UserCalls } from './user-calls.ts';

export interface ContactIndexOptions {
  /** The most members an index keeps, and the size below which a rebuild is due. */
  readonly max: number;
  readonly min: number;
  readonly prefix: string;
  /** A fresh nonce: at least 64 bits from the client's secure generator. */
  readonly freshNonce: () => Nonce;
}

/** How long a placeholder is kept if its rebuild never ends, ms. */
const PLACEHOLDER_MS = 600_000;

/** In apply.lua: there was no nonce. */
const NO_NONCE = '-';

const APPLY_OUTCOMES: Readonly<Record<string, ApplyOutcome>> = {
  A: 'applied',
  B: 'rebuild_due',
  R: 'raced',
  C: 'cold',
  D: 'dropped',
  W: 'wrong_type',
};

const DROP_OUTCOMES: Readonly<Record<string, 'dropped' | 'kept'>> = { D: 'dropped', K: 'kept' };

const REPLACE_OUTCOMES: Readonly<Record<string, ReplaceOutcome>> = {
  A: 'replaced',
  N: 'removed',
  R: 'raced',
  W: 'wrong_type',
};

/** In replace.lua: keep no index. */
const NONE = -1;

/** The indexes in Redis, on one server or on a cluster. */
export class RedisContactIndex implements ContactIndex {
  readonly #client: RedisClient;
  readonly #options: ContactIndexOptions;
  readonly #names: KeyNames;
  readonly #apply: Script;
  readonly #claim: Script;
  readonly #forget: Script;
  readonly #replace: Script;
  readonly #read: Script;
  readonly #readUnflagged: Script;
  readonly #dropIdle: Script;

  constructor(client: RedisClient, options: ContactIndexOptions) {
    const script = (name: string, as = name, options: ScriptOptions = {}) =>
      defineScript(client, as, new URL(`./lua/${name}.lua`, import.meta.url), options);
    this.#client = client;
    this.#options = options;
    this.#names = new KeyNames(options.prefix);
    this.#apply = script('apply');
    this.#claim = script('claim');
    this.#forget = script('forget');
    this.#replace = script('replace');
    this.#read = script('read');
    this.#readUnflagged = script('read', 'read_unflagged', { unflagged: true });
    this.#dropIdle = script('drop-idle');
  }

  nonces(users: readonly Id[]): Promise<Nonce[]> {
    return this.#inCalls(users, {
      userOf,
      call: async (some) => (await reply(this.#client.mget(some.map((user) => this.#names.meta(user))))).map(nonceIn),
      whileMoving: (_user, error) => Promise.reject(error), // one key alone is on one side or on the other
    });
  }

  apply(epoch: Epoch, requests: readonly ApplyRequest[]): Promise<ApplyOutcome[]> {
    const { max, min, freshNonce } = this.#options;
    return this.#inCalls(requests, {
      userOf: ({ user }) => user,
      call: async (some) => {
        const groups = groupsOf(some);
        const args = [max, min, epoch, freshNonce(), ...groups.flatMap(groupArguments)];
        const grouped = groups.flat();
        const keys = [
          ...grouped.map(({ user }) => this.#names.set(user)),
          ...grouped.map(({ user }) => this.#names.meta(user)),
        ];
        const found = outcomes(APPLY_OUTCOMES, await this.#apply(keys, args));
        if (groups.length === 1) return found; // in the order of the requests
        const outcomeOf = new Map(grouped.map((request, i) => [request, found[i]]));
        return some.map((request) => outcomeOf.get(request) as ApplyOutcome);
      },
      whileMoving: () => 'raced',
    });
  }

  claim(users: readonly Id[], asked = false): Promise<Nonce[]> {
    const { freshNonce } = this.#options;
    const flag = asked ? 1 : 0;
    return this.#inCalls(users, {
      userOf,
      call: async (some) => list(await this.#claim(this.#allKeys(some), [freshNonce(), PLACEHOLDER_MS, flag])),
      whileMoving: freshNonce, // not in Redis, so that `replace` finds the user raced
    });
  }

  replace(epoch: Epoch, requests: readonly ReplaceRequest[]): Promise<ReplaceOutcome[]> {
    const { max, freshNonce } = this.#options;
    return this.#inCalls(requests, {
      userOf: ({ user }) => user,
      call: async (some) => {
        const args: (string | number)[] = [max, epoch, freshNonce()];
        for (const { seen, top } of some) {
          args.push(seen, top?.length ?? NONE);
          for (const { id, at } of top ?? []) args.push(at, id);
        }
        return outcomes(REPLACE_OUTCOMES, await this.#replace(this.#keys(some), args));
      },
      whileMoving: () => 'raced',
    });
  }

  async read(user: Id, count: number, touch: boolean): Promise<Reading> {
    const keys = this.#allKeys([user]);
    const args = [count, touch ? 1 : 0];
    const unflagged = (error: unknown) =>
      isWriteRefused(error) ? this.#readUnflagged(keys, [...args, 1]) : Promise.reject(error);
    // The note rarely exists, and while a slot moves Redis refuses a call if one of its keys does not exist there.
    const refused = (error: unknown) =>
      isSlotMoving(error) ? this.#read(this.#keys([{ user }]), [...args, 0]).catch(unflagged) : unflagged(error);
    return readingOf(await this.#read(keys, [...args, 0]).catch(refused));
  }

  async drop(users: readonly Id[]): Promise<void> {
    await this.#inCalls(users, {
      userOf,
      call: async (some) => {
        await reply(this.#client.unlink(...this.#keys(some.map(named))));
        return [...some];
      },
      whileMoving: async (user) => {
        await reply(this.#client.unlink(this.#names.meta(user))); // without it there is no index
        await reply(this.#client.unlink(this.#names.set(user)));
        return user;
      },
    });
  }

  async bar(users: readonly Id[], note: 'soft' | 'hard', ms: number): Promise<void> {
    const letter = note === 'hard' ? 'h' : 's';
    await this.#inCalls(users, {
      userOf,
      call: async (some) => {
        await this.#forget(this.#allKeys(some), [letter, ms]);
        return [...some];
      },
      whileMoving: async (user) => {
        await reply(this.#client.set(this.#names.forgotten(user), letter, 'PX', ms)); // first, so that nothing is built from here on
        await this.drop([user]);
        return user;
      },
    });
  }

  async dropIdle(users: readonly Id[], days: number): Promise<number> {
    const found = await this.#inCalls(users, {
      userOf,
      call: async (some) => outcomes(DROP_OUTCOMES, await this.#dropIdle(this.#keys(some.map(named)), [days])),
      whileMoving: () => 'kept',
    });
    return found.filter((outcome) => outcome === 'dropped').length;
  }

  #keys(requests: readonly { user: Id }[]): string[] {
    return requests.flatMap(({ user }) => [this.#names.set(user), this.#names.meta(user)]);
  }

  #allKeys(users: readonly Id[]): string[] {
    return users.flatMap((user) => [this.#names.set(user), this.#names.meta(user), this.#names.forgotten(user)]);
  }

  #inCalls<I, O>(items: readonly I[], calls: UserCalls<I, O>): Promise<O[]> {
    return inUserCalls(items, this.#client.isCluster, calls);
  }
}

const userOf = (user: Id): Id => user;
const named = (user: Id) => ({ user });

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

/** Groups requests with the same changes: in a fan-out, nearly all of them. */
function groupsOf(requests: readonly ApplyRequest[]): ApplyRequest[][] {
  const groups = new Map<string, ApplyRequest[]>();
  let last: ApplyRequest[] = [];
  for (const request of requests) {
    if (!saysTheSame(request, last[0])) {
      const text = changesText(request);
      last = groups.get(text) ?? [];
      groups.set(text, last);
    }
    last.push(request);
  }
  return [...groups.values()];
}

function saysTheSame({ changes }: ApplyRequest, other: ApplyRequest | undefined): boolean {
  const [one, first] = [changes[0], other?.changes[0]];
  return changes.length === 1 && other?.changes.length === 1 && one?.id === first?.id && one?.at === first?.at;
}

function changesText({ changes }: ApplyRequest): string {
  return changes.map(({ id, at }) => `${id} ${at}`).join(' ');
}

/** The arguments of apply.lua for users with the same changes. All nonces are one argument, because each argument has a cost. */
function groupArguments(group: readonly ApplyRequest[]): (string | number)[] {
  const changes = group[0]?.changes ?? [];
  const seen = group.map((request) => request.seen || NO_NONCE).join(' ');
  return [changes.length, ...changes.flatMap(({ id, at }) => [id, at]), seen];
}
