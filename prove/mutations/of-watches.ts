import type { Mutation } from './mutation.ts';

const TOLD = 'push/told.ts';
const CHECK = 'push/check.ts';
const SUBSCRIBE = 'push/subscribe.ts';

/** The rules of push. */
export const OF_WATCHES: readonly Mutation[] = [
  {
    rule: 'a watch stores the head that it was told',
    instead: 'one cursor instead of the told head: only what is later than everything told is news',
    patches: [
      {
        file: TOLD,
        from: 'return before === undefined ? isAbove(key, told.floor) : key.at > before;',
        to: 'return (before ?? 1) > 0 && key.at > Math.max(0, ...told.entries.map(({ at }) => at));',
      },
    ],
    push: {},
    try: ['watched'],
  },
  {
    rule: 'what is saved about a watch is compared with what was read',
    instead: 'a save without compare-and-set',
    patches: [],
    push: { saves: 'always' },
  },
  {
    rule: 'a refresh signals before its task is acknowledged',
    instead: 'the signal comes after the acknowledgement',
    patches: [],
    push: { signals: 'acknowledged' },
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
    push: {},
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
    push: {},
    try: ['subscribing'],
    notCaught:
      'a row that was told nothing only records its first head, and it is due by itself, so that a check follows it in either order',
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
    push: {},
    try: ['subscribing'],
  },
  {
    rule: 'what is delivered again is compared with a live answer',
    instead: 'a retry is delivered as it was',
    patches: [
      {
        file: CHECK,
        from: 'const sources = stillVisible(outgoing, heads).filter(',
        to: 'const sources = [...outgoing.sources, ...stillVisible(outgoing, heads).slice(0, 0)].filter(',
      },
    ],
    push: {},
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
    push: {},
  },
  {
    rule: 'after a retry the watch is due, in MySQL',
    instead: 'the notifier only asks Redis for the next check',
    patches: [
      {
        file: CHECK,
        from: 'const over = { outgoing: undefined, dueAt: now };',
        to: 'const over = { outgoing: undefined, dueAt: undefined };',
      },
    ],
    push: {},
    try: ['watched, one contact twice'],
  },
];
