import { arg, type Command, expectNone, numberOf, WrongType } from './command.ts';
import type { Keyspace, Member } from './keyspace.ts';

export const SORTED_SET_COMMANDS: Readonly<Record<string, Command>> = {
  ZADD: (keyspace, [key = '', ...rest]) => {
    const isWord = (text: string) => ['NX', 'LT', 'CH'].includes(text.toUpperCase());
    const words = rest
      .slice(
        0,
        rest.findIndex((text) => !isWord(text)),
      )
      .map((word) => word.toUpperCase());
    const pairs = rest.slice(words.length);
    const scores = new Map(membersOf(keyspace, key).map(({ member, score }) => [member, score]));
    let [added, changed] = [0, 0];
    for (let i = 0; i < pairs.length; i += 2) {
      const [score, member] = [numberOf('ZADD', arg(pairs, i)), arg(pairs, i + 1)];
      const before = scores.get(member);
      if (before !== undefined && (words.includes('NX') || (words.includes('LT') && score >= before))) continue;
      if (before === undefined) added += 1;
      else if (before !== score) changed += 1;
      scores.set(member, score);
    }
    keyspace.put(key, { kind: 'zset', members: inOrder(scores) });
    return words.includes('CH') ? added + changed : added;
  },

  ZREM: (keyspace, [key = '', ...gone]) => {
    const members = membersOf(keyspace, key);
    return keep(keyspace, key, members, ({ member }) => !gone.includes(member));
  },

  ZCARD: (keyspace, args) => membersOf(keyspace, arg(args, 0)).length,

  ZSCORE: (keyspace, args) => {
    const found = membersOf(keyspace, arg(args, 0)).find(({ member }) => member === arg(args, 1));
    return found === undefined ? null : String(found.score);
  },

  ZMSCORE: (keyspace, [key = '', ...wanted]) => {
    const scores = new Map(membersOf(keyspace, key).map(({ member, score }) => [member, score]));
    return wanted.map((member) => (scores.has(member) ? String(scores.get(member)) : null));
  },

  ZRANGE: (keyspace, args) => range('ZRANGE', membersOf(keyspace, arg(args, 0)), args),

  ZREVRANGE: (keyspace, args) => range('ZREVRANGE', membersOf(keyspace, arg(args, 0)).toReversed(), args),

  ZPOPMIN: (keyspace, [key = '', count = '1']) => {
    const members = membersOf(keyspace, key);
    const gone = members.slice(0, numberOf('ZPOPMIN', count));
    keep(keyspace, key, members, (member) => !gone.includes(member));
    return flat(gone);
  },

  ZREMRANGEBYRANK: (keyspace, args) => {
    const members = membersOf(keyspace, arg(args, 0));
    const ranks = new Set(slice([...members.keys()], arg(args, 1), arg(args, 2)));
    return keep(keyspace, arg(args, 0), members, (_member, rank) => !ranks.has(rank));
  },

  ZRANGEBYSCORE: (keyspace, [key = '', low = '', high = '', ...options]) => {
    const [min, max] = [bound(low), bound(high)];
    const [limit, from = '', count = '', ...others] = options;
    expectNone('ZRANGEBYSCORE', limit === undefined || limit.toUpperCase() === 'LIMIT' ? others : options);
    const within = membersOf(keyspace, key).filter(({ score }) => score >= min && score <= max);
    const some = limit === undefined ? within : within.slice(Number(from), Number(from) + Number(count));
    return some.map(({ member }) => member);
  },
};

function membersOf(keyspace: Keyspace, key: string): readonly Member[] {
  const value = keyspace.get(key);
  if (value === undefined) return [];
  if (value.kind !== 'zset') throw new WrongType();
  return value.members;
}

function inOrder(scores: ReadonlyMap<string, number>): Member[] {
  return [...scores]
    .map(([member, score]) => ({ member, score }))
    .sort((a, b) => a.score - b.score || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member)));
}

/** How many were not kept. */
function keep(
  keyspace: Keyspace,
  key: string,
  members: readonly Member[],
  kept: (member: Member, rank: number) => boolean,
): number {
  const left = members.filter(kept);
  if (left.length < members.length) keyspace.put(key, { kind: 'zset', members: left });
  return members.length - left.length;
}

function range(command: string, members: readonly Member[], args: readonly string[]): string[] {
  const [, start, stop, option, ...others] = args;
  const withScores = option?.toUpperCase() === 'WITHSCORES';
  expectNone(command, withScores || option === undefined ? others : [option, ...others]);
  const some = slice(members, start, stop);
  return withScores ? flat(some) : some.map(({ member }) => member);
}

function flat(members: readonly Member[]): string[] {
  return members.flatMap(({ member, score }) => [member, String(score)]);
}

function bound(text: string): number {
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return text === '+inf' ? Number.POSITIVE_INFINITY : numberOf('ZRANGEBYSCORE', text);
}

/** Both ends are inclusive; negative positions count from the end. */
function slice<T>(items: readonly T[], start: string | undefined, stop: string | undefined): T[] {
  const last = Number(stop);
  return items.slice(Number(start), last === -1 ? undefined : last + 1);
}
