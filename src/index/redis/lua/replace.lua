#!lua flags=allow-oom
-- The last step of a rebuild: writes whole indexes, each only if the user's nonce is still the one claimed.
--
-- KEYS    z and m of each user, in turn
-- ARGV    1 max     the most members an index keeps
--         2 epoch   from the same snapshot as the rows
--         3 nonce   fresh for this call
--         then for each user, in the order of KEYS:
--           seen          the nonce claimed before the rows were read
--           allowance     changes that a new index takes without a read: four hex digits, ffff: without end
--           count         number of rows, at most max + 1, followed by that many pairs of
--             score, id     the user's best contacts, highest key first; row max + 1 becomes the floor
-- reply   a string with one character for each user:
--           R  raced: the nonce has changed or is gone; nothing written, start again
--           W  a key of the wrong type is in the way; nothing written
--           A  replaced; an empty index expires, and the next read has it built again
-- Every argument is checked before the first write, because Redis does not roll scripts back.
-- Runs at maxmemory (allow-oom): a user with a nonce has an index or a placeholder already; claim.lua refuses new ones.

local max, epoch, nonce = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local users = #KEYS / 2
assert(max and max >= 1 and epoch ~= '' and nonce ~= '', 'replace: bad arguments')

local first, at = {}, 4
for u = 1, users do
  first[u] = at
  local allowance, count = ARGV[at + 1], tonumber(ARGV[at + 2])
  assert(string.find(allowance or '', '^%x%x%x%x$') and count and count >= 0 and count <= max + 1, 'replace: bad count')
  for i = at + 3, at + 1 + 2 * count, 2 do
    local score = string.find(ARGV[i] or '', '^%d+$') and tonumber(ARGV[i])
    assert(score and score > 0 and score <= 9007199254740991 and string.find(ARGV[i + 1], '^[1-9]%d*$'), 'replace: bad row')
  end
  at = at + 3 + 2 * count
end
assert(at == #ARGV + 1, 'replace: arguments left over')

-- Any other error ends the script before it has written.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

-- A new index counts as used today, by this server's clock: days since 1970 UTC.
local today = string.format('%04x', math.floor(redis.call('TIME')[1] / 86400))

-- ms. A reader may ask for any user id, so an empty index must not be kept forever.
local EMPTY_TTL = 3600000

-- Only a read renews an allowance: an index that is there keeps what it has left. One of another epoch is no index.
local function left_of(meta, allowance)
  local left, other = string.match(meta, '^[^ ]+:(%x%x%x%x)%x%x%x%x ([^ ]+) ')
  return left and other == epoch and left < allowance and left or allowance
end

-- The value of m: '<nonce>:<changes left><allowance> <epoch> <size in three digits> <day of the last use, four hex digits>
-- <floor: score in sixteen digits, then id; '-': none>'.
local function write(z, m, allowance, rows, count)
  local size, floor = math.min(count, max), '-'
  redis.call('DEL', z)
  if size > 0 then redis.call('ZADD', z, unpack(ARGV, rows, rows + 2 * size - 1)) end
  if count > max then
    local score, id = ARGV[rows + 2 * max], ARGV[rows + 2 * max + 1]
    floor = string.sub('0000000000000000', #score + 1) .. score .. id
  end
  local meta = string.format('%s:%s %s %03d %s %s', nonce, allowance, epoch, size, today, floor)
  if size > 0 then redis.call('SET', m, meta) else redis.call('SET', m, meta, 'PX', EMPTY_TTL) end
end

local function replace(u)
  local z, m, seen = KEYS[2 * u - 1], KEYS[2 * u], ARGV[first[u]]
  local meta = redis.pcall('GET', m)
  if wrong_type(meta) or wrong_type(redis.pcall('ZCARD', z)) then return 'W' end
  if not meta or string.sub(meta .. ' ', 1, #seen + 1) ~= seen .. ' ' then return 'R' end
  local allowance, count = ARGV[first[u] + 1], tonumber(ARGV[first[u] + 2])
  write(z, m, left_of(meta, allowance) .. allowance, first[u] + 3, count)
  return 'A'
end

local outcomes = {}
for u = 1, users do outcomes[u] = replace(u) end
return table.concat(outcomes)
