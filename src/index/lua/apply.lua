-- Writes what MySQL says of some contacts into the indexes of their users, each only where the user's nonce is still
-- the one that was read before MySQL was. The rules are told in ../protocol.ts; none of them can be left out.
--
-- KEYS    z and m of each user, in turn
-- ARGV    1 max     the most members an index keeps
--         2 min     below which a rebuild is due
--         3 epoch   from the same snapshot as the rows
--         4 nonce   fresh for this call; replaces the nonce of every index written
--         then of each user, in the order of KEYS:
--           seen    the nonce that was read before the rows
--           count   of contacts, followed by as many times
--             id, score   score '0': not to be in the index (not related, or no upload)
-- reply   one character a user:
--           C  cold: no nonce, nothing to do
--           R  raced: the nonce has moved, nothing written; read again
--           D  dropped: a placeholder, another epoch or a torn index; deleted, so that a rebuild under way finds its nonce gone
--           W  a key of the wrong type is in the way; nothing written but that the other key no longer makes an index
--           A  applied
--           B  applied, and a rebuild is due: fewer than min are left, and the index is not complete
-- Every argument is checked before the first write: Redis does not roll a script back.

local max, min, epoch, nonce = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4]
local users = #KEYS / 2
assert(max and min and min < max and epoch ~= '' and nonce ~= '', 'apply: bad arguments')

-- where each user's arguments begin; score of each argument that is one
local first, scores, at = {}, {}, 5
for u = 1, users do
  first[u] = at
  local count = tonumber(ARGV[at + 1])
  assert(count and count >= 0, 'apply: bad count')
  for i = at + 2, at + 2 * count, 2 do
    local score = tonumber(ARGV[i + 1])
    assert(score and score >= 0 and score <= 9007199254740991 and string.find(ARGV[i], '^[1-9]%d*$'), 'apply: bad contact')
    scores[i] = score
  end
  at = at + 2 + 2 * count
end
assert(at == #ARGV + 1, 'apply: arguments left over')

-- Any other error ends the script before it has written.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

-- Redis formats a number with seventeen digits each time it is given one: many times dearer than a text.
local texts = {}
local function text(number)
  local known = texts[number]
  if not known then
    known = string.format('%d', number)
    texts[number] = known
  end
  return known
end

-- One user's index under work: its keys, its size, whether it has been empty, and its floor (score as number and as text,
-- and member).
local z, m, size, was_empty, floor, floor_text, floor_member

local function above_floor(score, id)
  return score > floor or (score == floor and id > floor_member)
end

local function trim()
  local lowest = redis.call('ZRANGE', z, 0, 0, 'WITHSCORES')
  redis.call('ZREMRANGEBYRANK', z, 0, 0)
  floor_member, floor_text, floor = lowest[1], lowest[2], tonumber(lowest[2])
  size = size - 1
end

local function put(id, score, score_text)
  if score > 0 and above_floor(score, id) then
    size = size + redis.call('ZADD', z, score_text, id)
    if size > max then trim() end
  else
    size = size - redis.call('ZREM', z, id)
    was_empty = was_empty or size == 0
  end
end

-- A set that was empty, if only for a moment, was no key, and so carries no expiry: both keys expire together.
local function expire_together()
  local expiry = redis.call('PEXPIRETIME', m)
  if expiry > 0 then redis.call('PEXPIREAT', z, expiry) end
end

local function apply(u)
  z, m = KEYS[2 * u - 1], KEYS[2 * u]
  local fields = redis.pcall('HMGET', m, 'g', 'e', 'n', 'fs', 'fm')
  if wrong_type(fields) then return 'W' end
  local g, e, n = fields[1], fields[2], fields[3]
  if not g then return 'C' end
  if g ~= ARGV[first[u]] then return 'R' end
  size = redis.pcall('ZCARD', z)
  if wrong_type(size) then
    redis.call('DEL', m)
    return 'W'
  end
  floor_text, floor_member = fields[4], fields[5]
  floor = floor_text == '-inf' and -math.huge or tonumber(floor_text or '')
  if e ~= epoch or n ~= text(size) or not floor or not floor_member then
    redis.call('DEL', z, m)
    return 'D'
  end

  local was_size, was_floor, was_member = size, floor_text, floor_member
  was_empty = size == 0
  while size > max do trim() end -- it was written under a greater max
  for i = first[u] + 2, first[u] + 2 * tonumber(ARGV[first[u] + 1]), 2 do
    put(ARGV[i], scores[i], ARGV[i + 1])
  end
  if was_empty and size > 0 then expire_together() end
  if floor_text ~= was_floor or floor_member ~= was_member then
    redis.call('HSET', m, 'g', nonce, 'n', text(size), 'fs', floor_text, 'fm', floor_member)
  elseif size ~= was_size then
    redis.call('HSET', m, 'g', nonce, 'n', text(size))
  else
    redis.call('HSET', m, 'g', nonce)
  end
  return size < min and floor > -math.huge and 'B' or 'A'
end

local outcomes = {}
for u = 1, users do outcomes[u] = apply(u) end
return table.concat(outcomes)
