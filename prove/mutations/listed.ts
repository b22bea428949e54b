import type { Mutation } from './mutation.ts';

const APPLY = 'index/redis/lua/apply.lua';
const REPLACE = 'index/redis/lua/replace.lua';
const CLAIM = 'index/redis/lua/claim.lua';
const REFRESH = 'index/refresh.ts';
const REBUILD = 'index/rebuild.ts';
const FAN_OUT = 'index/fan-out.ts';

const WRITE = '  written[w + 1], written[w + 2] = m, new .. size_text(size) .. day .. floor\n  w = w + 2';
const IS_ABOVE = 'local is_above = change.key > floor';
const REMOVE = "try('ZREM', z, change.id)";
const SAME = 'size_text(size) .. day .. floor == sub(meta, at + #old)';
const STALE = "  if not meta or string.sub(meta .. ' ', 1, #seen + 1) ~= seen .. ' ' then return 'R' end";

/** The rules that DESIGN §2 and §3 list as looking removable. */
export const LISTED: readonly Mutation[] = [
  {
    rule: 'compare-and-set in apply',
    instead: 'a refresh writes whatever the nonce is by now',
    patches: [
      {
        file: APPLY,
        from: '  local at = #seen + 1',
        to: "  seen = string.match(meta, '^[^ ]*')\n  local at = #seen + 1",
      },
    ],
  },
  {
    rule: 'new nonce on a no-op',
    instead: 'a refresh that changes nothing leaves the nonce alone',
    patches: [{ file: APPLY, from: WRITE, to: `if not (${SAME}) then ${WRITE} end` }],
  },
  {
    rule: 'new nonce on a skipped add',
    instead: 'a refresh that only skips contacts at or below the floor leaves the nonce alone',
    patches: [
      { file: APPLY, from: '  local at = #seen + 1', to: '  local skipped = false\n  local at = #seen + 1' },
      { file: APPLY, from: IS_ABOVE, to: `${IS_ABOVE}\n    skipped = not is_above and change.key ~= ''` },
      { file: APPLY, from: WRITE, to: `if not skipped or not (${SAME}) then ${WRITE} end` },
    ],
  },
  {
    rule: 'second read of the pairs in a fan-out',
    instead: 'the state is read with the page of followers, before their nonces',
    patches: [
      {
        file: FAN_OUT,
        from: '  const seen = yield* noncesOf([...users]);\n',
        to: "  const known = pairs.length === 0 ? undefined : yield* step('pairs', pairs);\n  const seen = yield* noncesOf([...users]);\n",
      },
      {
        file: FAN_OUT,
        from: 'refreshPart(part, areNeighbours, onRefresh, seen)),\n    CALLS',
        to: 'refreshPart(part, areNeighbours, onRefresh, seen, known)),\n    CALLS',
      },
      {
        file: FAN_OUT,
        from: '  seen?: SeenNonces,\n): Operation<void> {\n  const report = yield* refreshUnsignalled(pairs, areNeighbours, seen);',
        to: '  seen?: SeenNonces,\n  known?: any,\n): Operation<void> {\n  const report = yield* refreshUnsignalled(pairs, areNeighbours, seen, known);',
      },
      {
        file: REFRESH,
        from: '  areNeighbours = false,\n  seen?: SeenNonces,\n',
        to: '  areNeighbours = false,\n  seen?: SeenNonces,\n  known?: any,\n',
      },
      {
        file: REFRESH,
        from: 'isFirst ? seen : undefined)',
        to: 'isFirst ? seen : undefined, isFirst ? known : undefined)',
      },
      {
        file: REFRESH,
        from: 'refreshTogether(some, areNeighbours, seen)',
        to: 'refreshTogether(some, areNeighbours, seen, known)',
      },
      {
        file: REFRESH,
        from: '  seen: SeenNonces | undefined,\n): Operation<RefreshReport>',
        to: '  seen: SeenNonces | undefined,\n  known?: any,\n): Operation<RefreshReport>',
      },
      {
        file: REFRESH,
        from: '  seen: SeenNonces | undefined,\n): Operation<Attempt>',
        to: '  seen: SeenNonces | undefined,\n  known?: any,\n): Operation<Attempt>',
      },
      {
        file: REFRESH,
        from: 'rows } = yield* step(question, asked);',
        to: 'rows } = known ?? (yield* step(question, asked));',
      },
    ],
  },
  {
    rule: 'nonce before the rows',
    instead: 'a refresh reads MySQL first and the nonce afterwards',
    patches: [
      {
        file: REFRESH,
        from: '  const nonces = seen === undefined',
        to: "  const early = yield* step('pairs', users.flatMap(([_user, hints]) => hints));\n  const nonces = seen === undefined",
      },
      { file: REFRESH, from: 'rows } = yield* step(question, asked);', to: 'rows } = early;' },
    ],
  },
  {
    rule: 'floor',
    instead: 'a contact is added wherever it stands',
    patches: [{ file: APPLY, from: IS_ABOVE, to: "local is_above = change.key ~= ''" }],
  },
  {
    rule: 'trim raises the floor',
    instead: 'what is trimmed away leaves no floor behind',
    patches: [{ file: APPLY, from: '      floor = trim(z, size)', to: '      trim(z, size)' }],
  },
  {
    rule: 'compare-and-set in rebuild',
    instead: 'a rebuild writes whatever the nonce is by now',
    patches: [{ file: REPLACE, from: STALE, to: "meta = meta or ''" }],
  },
  {
    rule: 'removal of what fell to or below the floor',
    instead: 'an entry that fell to or below the floor stays as it was',
    patches: [
      {
        file: APPLY,
        from: REMOVE,
        to: `(change.key == '' and ${REMOVE} or 0)`,
      },
    ],
  },
  {
    rule: 'publishing after the commit',
    instead: 'a task without a version goes out before its transaction is committed',
    patches: [],
    change: { publish: 'before' },
  },
  {
    rule: 'random nonce, not a counter in the index',
    instead: 'each write counts the nonce on; a claim begins at 1',
    patches: [
      { file: APPLY, from: WRITE, to: `  local new = (string.match(seen, '%d+') + 1) .. old\n${WRITE}` },
      { file: REPLACE, from: STALE, to: `${STALE}\n  nonce = tostring(string.match(seen, '%d+') + 1)` },
      { file: CLAIM, from: "nonce = nonce .. '.' .. time[1] .. '.' .. time[2]", to: "nonce = '1'" },
    ],
  },
  {
    rule: 'random nonce, not a counter of its own (failover)',
    instead: 'a counter that outlives the index, set back only by a failover',
    patches: [
      { file: APPLY, from: WRITE, to: `  local new = call('INCR', m .. ':count') .. old\n${WRITE}` },
      { file: REPLACE, from: STALE, to: `${STALE}\n  nonce = tostring(redis.call('INCR', m .. ':count'))` },
      {
        file: CLAIM,
        from: "  redis.call('SET', m, nonce, 'PX', ttl)",
        to: "  nonce = tostring(redis.call('INCR', m .. ':count'))\n  redis.call('SET', m, nonce, 'PX', ttl)",
      },
    ],
    try: ['cold, failover'],
  },
  {
    rule: 'a placeholder is not skipped',
    instead: 'a refresh takes a placeholder for a cold user and leaves it alone',
    patches: [
      {
        file: APPLY,
        from: "  if not meta then return 'C' end",
        to: "  if not meta or not find(meta, ' ', 1, true) then return 'C' end",
      },
    ],
    try: ['cold, one change'],
  },
  {
    rule: 'a rebuild that is due precedes the acknowledgement',
    instead: 'a refresh that leaves too few does not see to it',
    patches: [
      { file: REFRESH, from: 'due.length > 0 ? yield* rebuild(due)', to: 'due.length < 0 ? yield* rebuild(due)' },
    ],
  },
  {
    rule: "only the statement's own epoch, in a rebuild",
    instead: 'a rebuild writes the epoch that a later statement returns',
    patches: [
      {
        file: REBUILD,
        from: "const { epoch, tops } = yield* step('topContacts', wanted);",
        to: "const { tops } = yield* step('topContacts', wanted);\n      const { epoch } = yield* step('pairs', []);",
      },
    ],
    try: ['cold, failover'],
  },
  {
    rule: "only the statement's own epoch, in a refresh",
    instead: 'a refresh writes the epoch that a later statement returns',
    patches: [
      {
        file: REFRESH,
        from: 'const { epoch, rows } = yield* step(question, asked);',
        to: "const { rows } = yield* step(question, asked);\n  const { epoch } = yield* step('pairs', []);",
      },
    ],
    notCaught:
      'a refresh writes only into an index of the very epoch that it brings, built before its nonce was read; a later epoch can only make it drop the index. In a rebuild the rule is needed',
  },
  {
    rule: 'the set is there, when written',
    instead: 'a refresh writes into an index whose set was evicted',
    patches: [{ file: APPLY, from: 'if not size or is_gone(z, size) then', to: 'if not size then' }],
    try: ['floor, any fault'],
  },
  {
    rule: 'n is the size, when read',
    instead: 'a reader takes an index whose set was evicted for whole',
    patches: [
      {
        file: 'index/redis/index-reader.ts',
        from: "  if (Number(size) !== members) return { state: 'torn', epoch };",
        to: '',
      },
    ],
    try: ['floor, any fault'],
  },
];
