import type { Mutation } from './mutation.ts';

const APPLY = 'index/redis/lua/apply.lua';
const REPLACE = 'index/redis/lua/replace.lua';
const CLAIM = 'index/redis/lua/claim.lua';
const REFRESH = 'index/refresh.ts';
const PLAN = 'consumers/work-plan.ts';
const DELAYED = 'consumers/delayed-worker.ts';
const ANSWER = 'query/recent-contacts.ts';

/** Every other rule of the code that could be taken for needless. */
export const FURTHER: readonly Mutation[] = [
  {
    rule: 'the time in the nonce of a claim',
    instead: 'a claim that is sent again makes the same nonce again',
    patches: [{ file: CLAIM, from: "nonce = nonce .. '.' .. time[1] .. '.' .. time[2]", to: '' }],
    try: ['cold, commands sent twice'],
  },
  {
    rule: 'who was forgotten is not claimed',
    instead: 'a rebuild that was asked for before begins again',
    patches: [{ file: CLAIM, from: "  if is_forgotten(f) then return '-' end\n", to: '' }],
    try: ['forgotten while it is built'],
  },
  {
    rule: 'ids break ties at the floor',
    instead: 'a contact as recent as the floor counts as above it',
    patches: [
      {
        file: APPLY,
        from: 'local is_above = change.key > floor',
        to: "local is_above = change.key ~= '' and sub(change.key, 1, 16) >= sub(floor, 1, 16)",
      },
    ],
    try: ['ties'],
  },
  {
    rule: 'an index of another epoch is not written into',
    instead: 'a refresh writes into an index of an older epoch',
    patches: [
      {
        file: APPLY,
        from: '  local at = #seen + 1',
        to: "  local at, old = #seen + 1, string.match(meta, ' [^ ]+ ') or old",
      },
    ],
    try: ['floor, any fault'],
  },
  {
    rule: 'an unread index is dropped by the change that it does not take',
    instead: 'the change is left out of an index that stays',
    patches: [{ file: APPLY, from: "return drop(z, m, 'U') end", to: "return 'U' end" }],
    try: ['an allowance of one'],
  },
  {
    rule: 'an unread index is dropped with its nonce',
    instead: 'the nonce stays, as a placeholder',
    patches: [
      {
        file: APPLY,
        from: "return drop(z, m, 'U') end",
        to: "call('DEL', z) call('SET', m, seen) return 'U' end",
      },
    ],
    try: ['an allowance of one'],
  },
  {
    rule: 'a user with more rows than a small one is not answered as one',
    instead: 'the rows that were read are taken for all',
    patches: [
      {
        file: 'mysql/statements/whole-lists.ts',
        from: 'rows.length > most ? undefined : sorted(',
        to: 'rows.length < 0 ? undefined : sorted(',
      },
    ],
    try: ['small users'],
  },
  {
    rule: 'a rebuild empties the set first',
    instead: 'the new members join the old ones',
    patches: [{ file: REPLACE, from: "  redis.call('DEL', z)\n", to: '' }],
    try: ['floor, any fault'],
  },
  {
    rule: 'a rebuild sets the floor to row max + 1',
    instead: 'every rebuilt index says that it is complete',
    patches: [{ file: REPLACE, from: '  if count > max then', to: '  if false then' }],
  },
  {
    rule: 'what lost its race is read again',
    instead: 'a refresh that lost its race is taken for done',
    patches: [{ file: REFRESH, from: "tried.outcomes[i] === 'raced');", to: 'tried.outcomes[i] === undefined);' }],
  },
  {
    rule: 'what lost every race is put off',
    instead: 'a refresh that lost its last race is taken for done',
    patches: [
      {
        file: REFRESH,
        from: "if (pairs.length > 0 || rebuilds.length > 0) yield* step('defer'",
        to: "if (pairs.length < 0) yield* step('defer'",
      },
    ],
    try: ['one attempt'],
  },
  {
    rule: 'a task of a relationship looks at both sides',
    instead: "only the task's own user is refreshed",
    patches: [
      { file: PLAN, from: 'return areUsers ? [own, { user: contact, contact: user }] : [own];', to: 'return [own];' },
    ],
  },
  {
    rule: 'a fan-out covers every pair of its owner',
    instead: 'it visits those who are related now',
    patches: [],
    change: { fanOuts: 'related' },
    try: ['suspension'],
  },
  {
    rule: 'a change of a user is fanned out',
    instead: "only the user's own index is dropped",
    patches: [{ file: PLAN, from: '      if (kind.areUsers) owners.add(about.user);\n', to: '' }],
    try: ['suspension'],
  },
  {
    rule: 'a change of a user drops their index',
    instead: 'it is only fanned out',
    patches: [
      {
        file: PLAN,
        from: '      (about.isDeleted ? forgotten : dropped).add(about.user);\n',
        to: '',
      },
    ],
    try: ['a setting'],
  },
  {
    rule: 'the index of a user who has changed is dropped first',
    instead: 'it is dropped after the fan-out',
    patches: [
      {
        file: PLAN,
        from: "    [...drops('forget', plan.forgotten), ...drops('drop', plan.dropped)],\n",
        to: '',
      },
      {
        file: PLAN,
        from: '=> [fanOutOwners(some, kind, sizes, observer)]),\n',
        to: "=> [fanOutOwners(some, kind, sizes, observer)]),\n    [...drops('forget', plan.forgotten), ...drops('drop', plan.dropped)],\n",
      },
    ],
    notCaught:
      "the fan-out writes the followers' indexes and never the user's own, so neither waits for the other; what counts is that the task is acknowledged after both",
  },
  {
    rule: 'rows of a task with a version are offered to the cold as well',
    instead: 'a user without a nonce before the rows were read is left alone',
    patches: [
      {
        file: REFRESH,
        from: "filter((place) => mayBeEarly || nonces[place] !== '');",
        to: "filter((place) => nonces[place] !== '');",
      },
    ],
    try: ['cold, one change before its commit'],
  },
  {
    rule: 'a row older than its task is looked at again',
    instead: 'a change seen before its commit is taken for done',
    patches: [{ file: PLAN, from: 'if (behind.length > 0) yield', to: 'if (behind.length < 0) yield' }],
    try: ['one change before its commit'],
  },
  {
    rule: 're-checks are kept in MySQL',
    instead: 'they wait in the delay queue, and are lost with Redis',
    patches: [],
    change: { rechecks: 'in Redis' },
    try: ['one early change, Redis lost'],
  },
  {
    rule: 're-checks outlive the index of their user',
    instead: 'dropping an index drops what is to be looked at again',
    patches: [],
    change: { rechecks: 'dropped with the index' },
    try: ['one early change, Redis lost'],
  },
  {
    rule: 'a re-check that finds the row older is scheduled again',
    instead: 'every pair is looked at again once',
    patches: [{ file: DELAYED, from: 'if (attempt < RECHECKS)', to: 'if (attempt < 1)' }],
    try: ['one change before its commit'],
  },
  {
    rule: 'a re-check looks at both sides',
    instead: 'a re-check looks at its own pair only',
    patches: [
      {
        file: DELAYED,
        from: "if (item.kind === 'recheck' && areUsers) addHint(",
        to: "if (item.user === '') addHint(",
      },
    ],
    try: ['one change before its commit'],
  },
  {
    rule: 'a hold in the delay queue is ended only by the worker that took it',
    instead: 'a worker that finishes an item ends the hold of every worker that has it',
    patches: [{ file: 'redis/lua/delay-finish.lua', from: 'or -1) == lease_end then', to: 'or -1) > 0 then' }],
    try: ['fan-out, one attempt, duplicate'],
  },
  {
    rule: 'rows at or below the floor are not certain',
    instead: 'every candidate that is still a contact is shown',
    patches: [{ file: 'query/narrow.ts', from: 'isAbove(contact, horizon) && isOnPage', to: 'isOnPage' }],
  },
  {
    rule: 'an answer from an index that is not complete is certified by the floor',
    instead: 'whatever the index has is the answer',
    patches: [
      {
        file: 'query/narrow.ts',
        from: 'if (certain.length < (page.atLeast ?? page.limit) && !isWhole) return undefined;',
        to: '',
      },
    ],
  },
  {
    rule: 'an index of another epoch is cold',
    instead: 'a reader does not compare the epoch',
    patches: [{ file: ANSWER, from: 'if (live.epoch !== reading.epoch) return', to: "if (live.epoch === '') return" }],
    try: ['floor, any fault'],
  },
  {
    rule: 'no index is built in a suspended epoch',
    instead: 'a rebuild writes an index of the suspended epoch',
    patches: [{ file: 'index/rebuild.ts', from: 'if (isSuspended(epoch)) return', to: "if (epoch === '') return" }],
    try: ['a loss and a rebuild'],
  },
  {
    rule: 'a loss suspends the epoch as soon as it is known',
    instead: 'a new epoch begins only when the consumers have caught up',
    patches: [],
    change: { suspends: 'at the end' },
    try: ['a loss and a rebuild'],
  },
  {
    rule: 'a suspension ends with a new epoch',
    instead: 'the epoch of before it is in force again',
    patches: [],
    change: { suspends: 'and resumes' },
    try: ['a loss and a rebuild'],
  },
];
