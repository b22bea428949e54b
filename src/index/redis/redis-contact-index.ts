import type { Id } from '../../contracts/id.ts';
import type { Kind } from '../../contracts/kind.ts';
import { defineScript, type RedisClient, type Script } from '../../redis/connection.ts';
import { reply } from '../../redis/unavailable.ts';
import { KEEP_ALL, type KeepRules, leastAllowance } from '../allowance.ts';
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
import { hexOf, IndexReader, nonceIn } from './index-reader.ts';
import { KeyNames } from './keys.ts';
import { groupArguments, groupsOf, inUserCalls, type UserCalls } from './user-calls.ts';

export interface ContactIndexOptions {
  /** The most members an index keeps, and the size below which a rebuild is due. */
  readonly max: number;
  readonly min: number;
  readonly prefix: string;
  /** Default: contacts. */
  readonly kind?: Kind;
  /** A fresh nonce: at least 64 bits from the client's secure generator, without a colon. */
  readonly freshNonce: () => Nonce;
  /** Which indexes pay. Left out: all of them, for ever. */
  readonly rules?: KeepRules;
}

/** How long a placeholder is kept if its rebuild never ends, ms. */
const PLACEHOLDER_MS = 600_000;

const APPLY_OUTCOMES: Readonly<Record<string, ApplyOutcome>> = {
  A: 'applied',
  B: 'rebuild_due',
  R: 'raced',
  C: 'cold',
  D: 'dropped',
  U: 'unread',
  W: 'wrong_type',
};

const DROP_OUTCOMES: Readonly<Record<string, 'dropped' | 'kept'>> = { D: 'dropped', K: 'kept' };

const REPLACE_OUTCOMES: Readonly<Record<string, ReplaceOutcome>> = {
  A: 'replaced',
  R: 'raced',
  W: 'wrong_type',
};

/** The indexes in Redis, on one server or on a cluster. */
export class RedisContactIndex implements ContactIndex {
  readonly #client: RedisClient;
  readonly #options: ContactIndexOptions;
  readonly #names: KeyNames;
  readonly #apply: Script;
  readonly #claim: Script;
  readonly #forget: Script;
  readonly #replace: Script;
  readonly #reader: IndexReader;
  readonly #dropIdle: Script;

  constructor(client: RedisClient, options: ContactIndexOptions) {
    const script = (name: string) => defineScript(client, name, new URL(`./lua/${name}.lua`, import.meta.url));
    this.#client = client;
    this.#options = options;
    this.#names = new KeyNames(options.prefix, options.kind);
    this.#reader = new IndexReader(client, this.#names);
    this.#apply = script('apply');
    this.#claim = script('claim');
    this.#forget = script('forget');
    this.#replace = script('replace');
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
    const { max, min, freshNonce, rules = KEEP_ALL } = this.#options;
    const least = hexOf(leastAllowance(rules));
    return this.#inCalls(requests, {
      userOf: ({ user }) => user,
      call: async (some) => {
        const groups = groupsOf(some);
        const args = [max, min, epoch, freshNonce(), least, ...groups.flatMap(groupArguments)];
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
        for (const { seen, top, allowance } of some) {
          args.push(seen, hexOf(allowance), top.length);
          for (const { id, at } of top) args.push(at, id);
        }
        return outcomes(REPLACE_OUTCOMES, await this.#replace(this.#keys(some), args));
      },
      whileMoving: () => 'raced',
    });
  }

  async read(user: Id, count: number, touch: boolean): Promise<Reading> {
    return await this.#reader.read(user, count, touch);
  }

  readMany(users: readonly Id[], count: number, touch: boolean): Promise<Reading[]> {
    return this.#inCalls(users, {
      userOf,
      call: (some) => this.#reader.readMany(some, count, touch),
      whileMoving: (user) => this.#reader.read(user, count, touch),
    });
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
    return users.flatMap((user) => this.#names.all(user));
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
