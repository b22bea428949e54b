import type { Mutation } from './mutation.ts';

const TOLD = 'push/told.ts';
const CHECK = 'push/check.ts';
const SUBSCRIBE = 'push/watch-changes.ts';

/** The rules of push. */
export const OF_WATCHES: readonly Mutation[] = [
  {
    rule: 'a watch stores the head that it was told',
    instead: 'one cursor instead of the told head: only what is later than everything told is news',
    patches: [
      {
        file: TOLD,
        from: 'return latest === undefined ? isAbove(key, told.floor) : key.at > latest.at;',
        to: 'return (latest?.at ?? 1) > 0 && key.at > Math.max(0, ...told.entries.map(({ at }) => at));',
      },
    ],
    part: 'e',
    try: ['watched'],
  },
  {
    rule: 'a photo dated ahead is told by itself, and its contact goes on from the latest time that has come',
    instead: 'the latest time that was told counts, even if it has not come yet',
    patches: [
      {
        file: TOLD,
        from: 'const isAhead = ({ at }: Key, now: number) => at > now;',
        to: 'const isAhead = ({ at }: Key, now: number) => at > now + 1e9;',
      },
    ],
    part: 'e',
    try: ['watched, a photo dated ahead'],
  },
  {
    rule: 'a head that does not reach the told floor may have more news below it',
    instead: 'whatever is below a head was told',
    patches: [
      {
        file: TOLD,
        from: 'return told !== undefined && head.reach !== undefined && isAbove(head.reach, told.floor);',
        to: 'return told !== undefined && head.reach !== undefined && isAbove(head.reach, head.reach);',
      },
    ],
    part: 'e',
    try: ['watched, more than a head shows'],
  },
  {
    rule: 'what is saved about a watch is compared with what was read',
    instead: 'a save without compare-and-set',
    patches: [],
    part: 'e',
    change: { saves: 'always' },
  },
  {
    rule: 'a refresh signals before its task is acknowledged',
    instead: 'the signal comes after the acknowledgement',
    patches: [],
    part: 'e',
    change: { signals: 'acknowledged' },
    try: ['watched, any fault'],
  },
  {
    rule: 'a refresh signals, whatever its outcome',
    instead: 'nobody signals',
    patches: [
      {
        file: 'index/refresh.ts',
        from: "  if (users.size > 0) yield* step('signal', [...users]);",
        to: "  if (users.size < 0) yield* step('signal', [...users]);",
      },
    ],
    part: 'e',
    try: ['watched'],
  },
  {
    rule: 'the row of a watch is written before its user is watched',
    instead: 'the row is written last',
    patches: [
      {
        file: SUBSCRIBE,
        from: "  const id = yield* checkStep('insert', watch);\n  yield* enroll([watch.user]);\n  return id;",
        to: "  yield* enroll([watch.user]);\n  return yield* checkStep('insert', watch);",
      },
    ],
    part: 'e',
    try: ['subscribing'],
  },
  {
    rule: 'a user is watched before the first head is recorded',
    instead: 'the check comes first',
    patches: [
      {
        file: SUBSCRIBE,
        from: "  yield* checkStep('watch', users);\n  yield* checkStep('again', users, 0);",
        to: "  yield* checkStep('again', users, 0);\n  yield* checkStep('watch', users);",
      },
    ],
    part: 'e',
    try: ['subscribing'],
  },
  {
    rule: 'what is delivered again is compared with a live answer',
    instead: 'a retry is delivered as it was',
    patches: [
      {
        file: CHECK,
        from: 'const sources = stillVisible({ sources: wanted }, heads);',
        to: 'const sources = stillVisible.length > 0 ? wanted : [];',
      },
    ],
    part: 'e',
    try: ['watched, a deletion'],
  },
  {
    rule: 'a save that is refused is looked at again',
    instead: 'whoever loses the race leaves it to the winner',
    patches: [
      {
        file: CHECK,
        from: 'const isRefused = ({ save }: Plan) => save !== undefined && !saved.has(save.id);',
        to: 'const isRefused = ({ save }: Plan) => save !== undefined && saved.size < 0;',
      },
    ],
    part: 'e',
  },
  {
    rule: 'after a retry the watch is due, in MySQL',
    instead: 'the notifier only asks Redis for the next check',
    patches: [
      {
        file: 'push/settle.ts',
        from: 'const over = { outgoing: undefined, dueAt: now,',
        to: 'const over = { outgoing: undefined, dueAt: undefined,',
      },
    ],
    part: 'e',
    try: ['watched, one contact twice'],
  },
  {
    rule: 'a changed filter leaves what was told in place, until the next check has read heads for it',
    instead: 'a changed filter forgets what was told',
    patches: [
      {
        file: 'push/watch-changes.ts',
        from: 'kinds.includes(kind as KindName));',
        to: 'kinds.includes(kind as KindName) && kinds.length === 0);',
      },
    ],
    part: 'e',
    try: ['another filter'],
  },
  {
    rule: 'what was news under the filter before stays news',
    instead: 'what the new filter shows at first counts as told, all of it',
    patches: [
      {
        file: TOLD,
        from: 'const owed = new Set(newsIn(head, told, now).filter(passedBefore));',
        to: 'const owed = new Set(newsIn(head, told, now).filter((key) => passedBefore(key) && key.at < 0));',
      },
    ],
    part: 'e',
    try: ['another filter'],
  },
  {
    rule: 'what counts as told is recorded while a notification is on its way',
    instead: 'it is recorded once that has ended',
    patches: [
      {
        file: CHECK,
        from: 'if (!kinds.every((kind) => isRecorded(watch, kind)))',
        to: 'if (outgoing === undefined && !kinds.every((kind) => isRecorded(watch, kind)))',
      },
    ],
    part: 'e',
    try: ['tested while subscribing'],
  },
  {
    rule: 'a user who is no longer watched, and was given a watch meanwhile, is put back among the watched',
    instead: 'it is not looked for one',
    patches: [
      {
        file: CHECK,
        from: 'if (watched.length > 0) yield* enroll(watched);',
        to: 'if (watched.length < 0) yield* enroll(watched);',
      },
    ],
    part: 'e',
    try: ['subscribing after another watch'],
  },
];
