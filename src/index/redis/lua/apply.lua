#!lua flags=allow-oom
-- Writes what MySQL says about contacts into the indexes of their users, each only if the user's nonce is still the one that
-- was read before MySQL. ../../protocol.ts explains the rules and why none of them can be left out.
--
-- KEYS    z of each user, then m of each
-- ARGV    1 max     the most members an index keeps, up to 127
--         2 min     a rebuild is due below this many members
--         3 epoch   from the same snapshot as the rows
--         4 nonce   fresh for this call; replaces the nonce of every index written
--         5 least   four hex digits: the allowance of an index that names none, because 0.1.0 has written it
--         then groups of users with the same changes, in the order of KEYS; for each group
--           count         number of contacts, followed by that many pairs of
--             id, score     score '0': must not be in the index (not related, or no upload)
--           seen          the nonces that were read before the rows, one for each user, separated by spaces ('-': none)
-- reply   a string with one character for each user:
--           C  cold: no nonce, or a key of the wrong type in its place; nothing to do
--           R  raced: the nonce has changed; nothing written, read again
--           D  dropped: a placeholder, an index of another epoch, or one whose set is gone; deleted, so that a running rebuild
--              finds its nonce gone
--           U  unread: these changes are more than the index has left of its allowance; deleted, and nothing written
--           W  a key of the wrong type is in the way; m was deleted, so that there is no index
--           A  applied; an empty index gets an expiry, as in replace.lua
--           B  applied, and a rebuild is due: fewer than min members are left, and the index is not complete
-- Every argument is checked before the first write, because Redis does not roll scripts back.
-- The time goes into calls of redis and new strings, so each user gets as few of either as possible.
-- Runs at maxmemory (allow-oom): it changes existing indexes, whose size is bounded, and creates none. If it were refused, no
-- task could be acknowledged, and a stream that has filled Redis could never be drained.

local KEYS, ARGV, call, try, find, sub, byte = KEYS, ARGV, redis.call, redis.pcall, string.find, string.sub, string.byte
local max, min, epoch, nonce, least = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
assert(max and min and min < max and epoch ~= '' and nonce ~= '' and find(least, '^%x%x%x%x$'), 'apply: bad arguments')

-- A key as text that sorts like keys: the score in sixteen digits, then the id. '-' sorts before all of them.
local function key_text(score, id)
  return sub('0000000000000000', #score + 1) .. score .. id
end

local function change_at(i)
  local id, score = ARGV[i], ARGV[i + 1]
  local number = find(score or '', '^%d+$') and tonumber(score)
  assert(number and number <= 9007199254740991 and find(id, '^[1-9]%d*$'), 'apply: bad contact')
  return { id = id, score = score, key = number > 0 and key_text(score, id) or '' }
end

local groups, users, at = {}, 0, 6
while at <= #ARGV do
  local count, changes, seen = tonumber(ARGV[at]), {}, {}
  assert(count and count >= 0, 'apply: bad count')
  for c = 1, count do changes[c] = change_at(at + 2 * c - 1) end
  at = at + 1 + 2 * #changes
  for one in string.gmatch(ARGV[at] or '', '[^ ]+') do seen[#seen + 1] = one end
  groups[#groups + 1] = { changes = changes, seen = seen, after = {} }
  users = users + #seen
  at = at + 1
end
assert(at == #ARGV + 1 and 2 * users == #KEYS, 'apply: arguments left over')

-- The value of m: '<nonce> <epoch> <size in three digits> <day of the last use, four hex digits> <floor as key_text>'. A nonce
-- alone is a placeholder. The nonce of an index ends with its allowance, ':<changes left><changes of a new one>' in four hex
-- digits each; ffff: without end. It is a part of the nonce so that 0.1.0 can read what this version writes.
local old = ' ' .. epoch .. ' '

-- The new nonce and epoch of an index after so many changes; false: it has not so many left. `after` has those found before.
local function beginning_after(seen, count, after)
  local tail = sub(seen, -9)
  local found = after[tail]
  if found ~= nil then return found end
  local left, whole = string.match(tail, '^:(%x%x%x%x)(%x%x%x%x)$')
  left = left or least
  local rest = left == 'ffff' and 65535 or tonumber(left, 16) - count
  found = rest >= 0 and string.format('%s:%04x%s%s', nonce, rest, whole or least, old)
  after[tail] = found
  return found
end

local sizes = {}
local function size_text(size)
  local text = sizes[size] or string.format('%03d ', size)
  sizes[size] = text
  return text
end

-- The size, day and floor in m from there on; nothing if they are not there.
local function parts_of(meta, at)
  local a, b, c, _, _, _, _, _, space, first = byte(meta, at, at + 9)
  if space ~= 32 or not first or first ~= 45 and (first < 48 or first > 57) then return end
  local size = 100 * a + 10 * b + c - 5328 -- three digits, of which '0' is 48
  if size >= 0 and size <= 127 then return size, sub(meta, at + 4, at + 8), sub(meta, at + 9) end
end

-- Redis evicts whole keys. Usually no set is gone, which one call finds out for all; otherwise each is checked.
local none_gone = users == 0 or call('EXISTS', unpack(KEYS, 1, users)) == users
local function is_gone(z, size)
  return not none_gone and size > 0 and call('EXISTS', z) == 0
end

local function drop(z, m, outcome)
  call('DEL', z, m)
  return outcome or 'D'
end

-- Any other error ends the script.
local function in_the_way(m, reply)
  assert(find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  call('DEL', m)
  return 'W'
end

-- A trim is expensive, so it leaves room for a few more contacts before the next one.
local kept = max - math.min(4, math.floor((max - min) / 3))

-- Removes the lowest members until `kept` are left, and returns the key of the highest one removed, the new floor. Returns
-- nothing if another client has removed so many that it does not exist.
local function trim(z, size)
  local last = size - kept - 1
  local highest = call('ZRANGE', z, last, last, 'WITHSCORES')
  call('ZREMRANGEBYRANK', z, 0, last)
  return highest[1] and key_text(highest[2], highest[1])
end

-- ms, as in replace.lua.
local EMPTY_TTL = 3600000

-- The new value of every m, written in one command at the end. `half` is an m whose z has been changed already.
local written, w, half, empty = {}, 0, nil, {}

local function apply(z, m, meta, seen, changes, after)
  if not meta then return 'C' end
  local at = #seen + 1
  if find(meta, seen, 1, true) ~= 1 or find(meta, old, at, true) ~= at then
    return sub(meta .. ' ', 1, at) == seen .. ' ' and drop(z, m) or 'R'
  end
  local size, day, floor = parts_of(meta, at + #old)
  if not size or is_gone(z, size) then return drop(z, m) end
  local new = beginning_after(seen, #changes, after)
  if not new then return drop(z, m, 'U') end

  for i = 1, #changes do
    local change = changes[i]
    local is_above = change.key > floor
    local moved = is_above and try('ZADD', z, change.score, change.id) or try('ZREM', z, change.id)
    if type(moved) ~= 'number' then return in_the_way(m, moved) end
    half = m
    size = is_above and size + moved or size - moved
    if size > max then
      floor = trim(z, size)
      if not floor then return drop(z, m) end
      size = kept
    end
  end
  half = nil
  written[w + 1], written[w + 2] = m, new .. size_text(size) .. day .. floor
  w = w + 2
  if size == 0 then empty[#empty + 1] = m end
  return size < min and floor ~= '-' and 'B' or 'A'
end

local outcomes, user = {}, 0
local function apply_all()
  local metas = users > 0 and call('MGET', unpack(KEYS, users + 1)) or {}
  for _, group in ipairs(groups) do
    for _, seen in ipairs(group.seen) do
      user = user + 1
      outcomes[user] = apply(KEYS[user], KEYS[users + user], metas[user], seen, group.changes, group.after)
    end
  end
end

-- On a cluster the script may be aborted (../user-calls.ts): users done by then are whole, and a half-done user becomes cold.
local is_done, failure = pcall(apply_all)
if not is_done and half then call('DEL', half) end
if w > 0 then call('MSET', unpack(written)) end
for _, m in ipairs(empty) do call('PEXPIRE', m, EMPTY_TTL) end
return is_done and table.concat(outcomes) or { err = failure }
