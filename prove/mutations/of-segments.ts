import type { Mutation } from './mutation.ts';

const TASK = 'contracts/bulk-task.ts';
const SEGMENTS = 'index/segments.ts';
const FAN_OUT = 'index/fan-out.ts';
const BEGIN = 'index/redis/lua/begin-plan.lua';
const PUBLISHED = 'index/redis/lua/plan-published.lua';

/** The rules of large audiences: plans that wait, and segments. */
export const OF_SEGMENTS: readonly Mutation[] = [
  {
    rule: 'segments leave no gap',
    instead: 'a segment begins after its own last follower, not after that of the one before',
    patches: [
      {
        file: TASK,
        from: 'const [after, through] = [boundaries[part - 2], boundaries[part - 1]];',
        to: 'const through = boundaries[part - 1], after = part === 1 ? undefined : (through ?? boundaries[part - 2]);',
      },
    ],
    try: ['segments'],
  },
  {
    rule: 'a plan stops waiting before it reads anything',
    instead: 'its note is removed once its segments are published',
    patches: [
      { file: 'consumers/work-plan.ts', from: '  yield* takePlan(plan);\n', to: '' },
      {
        file: SEGMENTS,
        from: "    yield* step('publish', cut);\n",
        to: "    yield* step('publish', cut);\n    yield* takePlan(plan);\n",
      },
    ],
    try: ['segments, uploads'],
  },
  {
    rule: 'a plan waits only once it is published',
    instead: 'a note is trusted as soon as it is made',
    patches: [
      {
        file: BEGIN,
        from: "if before == epoch and state == 'published' and place ~= lost then",
        to: 'if before == epoch then',
      },
    ],
    try: ['segments, uploads, crash'],
  },
  {
    rule: 'a plan that was taken does not wait any more',
    instead: 'a plan is noted as published whatever has become of its note',
    patches: [
      { file: PUBLISHED, from: "if redis.call('GET', note) ~= begun .. ' pending' then return 0 end\n", to: '' },
    ],
    try: ['segments, uploads'],
  },
  {
    rule: 'a plan of another epoch does not wait',
    instead: 'a note holds in every epoch',
    patches: [
      {
        file: BEGIN,
        from: "if before == epoch and state == 'published' and place ~= lost then",
        to: "if state == 'published' and place ~= lost then",
      },
      { file: 'index/redis/waiting-plans.ts', from: 'return of === epoch ? place : undefined;', to: 'return place;' },
    ],
    notCaught:
      'a note is believed only while its plan waits, and a plan that waits is read later, whatever epoch its note is of; the epoch spares asking the bulk lane about what is lost anyway',
  },
  {
    rule: 'a note is believed only while its plan waits',
    instead: 'the plan that a note names counts as one that waits',
    patches: [{ file: FAN_OUT, from: "(yield* step('isWaiting', place))", to: 'true' }],
    try: ['segments, a plan that nobody misses'],
  },
  {
    rule: 'whoever fails by themselves has no index',
    instead: 'a pair that cannot be refreshed is set aside, and its user keeps the index',
    patches: [
      {
        file: 'index/refresh.ts',
        from: "if (failed.length > 0) yield* step('drop'",
        to: "if (failed.length < 0) yield* step('drop'",
      },
    ],
    try: ['a row that cannot be read'],
  },
];
