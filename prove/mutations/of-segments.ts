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
      { file: SEGMENTS, from: "  yield* step('takePlan', owner, plan.plan);\n", to: '' },
      {
        file: SEGMENTS,
        from: "    yield* step('publish', cut);\n",
        to: "    yield* step('publish', cut);\n    yield* step('takePlan', owner, plan.plan);\n",
      },
    ],
    try: ['segments, uploads'],
  },
  {
    rule: 'a plan waits only once it is published',
    instead: 'a note is trusted as soon as it is made',
    patches: [{ file: BEGIN, from: "if before == epoch and state == 'published' then", to: 'if before == epoch then' }],
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
      { file: BEGIN, from: "if before == epoch and state == 'published' then", to: "if state == 'published' then" },
    ],
    try: ['segments, uploads, a loss'],
  },
  {
    rule: 'the epoch of a plan is read when its upload is processed',
    instead: 'every plan is of the same epoch',
    patches: [{ file: FAN_OUT, from: "const epoch = yield* step('currentEpoch');", to: "const epoch = 'any';" }],
    try: ['segments, uploads, a loss'],
  },
];
