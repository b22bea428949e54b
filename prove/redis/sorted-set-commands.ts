import { arg, type Command, WrongType } from './command.ts';
import type { Keyspace, Member } from './keyspace.ts';

export const SORTED_SET_COMMANDS: Readonly<Record<string, Command>> = {
  ZADD: (keyspace, [key = '', ...rest]) => {
    const onlyNew = rest[0]?.toUpperCase() === 'NX';
    const pairs = onlyNew ? rest.slice(1) : rest;
    const scores = new Map(membersOf(keyspace, key).map(({ member, score }) => [member, score]));
    const before = scores.size;
    for (let i = 0; i < pairs.length; i += 2) {
      const member = arg(pairs, i + 1);
      if (!onlyNew || !scores.has(member)) scores.set(member, Number(arg(pairs, i)));
    }
    keyspace.put(key, { kind: 'zset', members: inOrder(scores) });
    return scores.size - before;
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

  ZRANGE: (keyspace, args) => range(membersOf(keyspace, arg(args, 0)), args),

  ZREVRANGE: (keyspace, args) => range(membersOf(keyspace, arg(args, 0)).toReversed(), args),

  ZREMRANGEBYRANK: (keyspace, args) => {
    const members = membersOf(keyspace, arg(args, 0));
    const ranks = new Set(slice([...members.keys()], arg(args, 1), arg(args, 2)));
    return keep(keyspace, arg(args, 0), members, (_member, rank) => !ranks.has(rank));
  },

  ZRANGEBYSCORE: (keyspace, [key = '', low, high, ...options]) => {
    const within = membersOf(keyspace, key).filter(({ score }) => score >= bound(low) && score <= bound(high));
    const [limit, from, count] = options;
    const some = limit?.toUpperCase() === 'LIMIT' ? within.slice(Number(from), Number(from) + Number(count)) : within;
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

function range(members: readonly Member[], [, start, stop, option]: readonly string[]): string[] {
  const withScores = option?.toUpperCase() === 'WITHSCORES';
  return slice(members, start, stop).flatMap(({ member, score }) => (withScores ? [member, String(score)] : [member]));
}

/** Both ends included; negative ones count from the end. */
function slice<T>(items: readonly T[], start: string | undefined, stop: string | undefined): T[] {
  const last = Number(stop);
  return items.slice(Number(start), last === -1 ? undefined : last + 1);
}

function bound(text: string | undefined): number {
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return text === '+inf' ? Number.POSITIVE_INFINITY : Number(text);
}
