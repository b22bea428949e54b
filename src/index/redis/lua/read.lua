#!lua flags=allow-oom
-- Reads users' indexes, or their heads, atomically.
--
-- KEYS    for each user z, m, f: a note that the user was forgotten (forget.lua); for a single user f may be left out, while the slot moves
-- ARGV    1 count   members to read, from the highest; 0: all
--         2 touch   1: the index is being used, which renews its allowance (apply.lua), and today is recorded as the day of its
--                   last use; 0: it is only inspected
-- reply   { replication, … }: the server's replication id (redis/masters.ts), and for each user
--           {}  a key is of the wrong type
--           or { value of m, or nil; number of members in z; { id, score, id, score, … } }, highest first
--         the error READONLY, if the server is a replica
-- writes  the day, by this server's clock, at most once a day; the allowance, once half of it is spent, so that most reads write
--         nothing; and removes a soft note: a user who reads may have an index again
-- The server is asked in the same call who it is: a master that became a replica, and whose clients were not told, would answer from
-- its old data; so would one that became a master again. That adds about 3 µs to 13, and 1 µs for each replica.
-- A master that refuses writes for now (its disk, too few replicas) refuses this script. Then it is sent again without its flags.
-- Runs at maxmemory (allow-oom).

local count, touch = tonumber(ARGV[1]), ARGV[2]
local keys_a_user = #KEYS == 2 and 2 or 3
assert(count and count >= 0 and (touch == '0' or touch == '1'), 'read: bad arguments')

local replication = redis.call('INFO', 'replication')
if not string.find(replication, 'role:master', 1, true) then return redis.error_reply('READONLY this server is a replica') end

-- Any other error ends the script; what it may have written for users before is harmless.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

local function renewed(meta)
  local nonce, left, whole, rest = string.match(meta, '^([^ :]+):(%x%x%x%x)(%x%x%x%x)( .+)$')
  if not left or 2 * tonumber(left, 16) >= tonumber(whole, 16) then return meta end
  return nonce .. ':' .. whole .. whole .. rest
end

-- The day never goes back: a clock that is set back, or a master whose clock is slow, must not make an index look idle.
local function used_today(meta)
  local before, day, after = string.match(meta, '^([^ ]+ [^ ]+ %d%d%d )(%x%x%x%x)( .+)$')
  local today = string.format('%04x', math.floor(redis.call('TIME')[1] / 86400))
  return day and day < today and before .. today .. after or meta
end

-- The value of m from here on.
local function note_use(m, meta)
  local used = used_today(renewed(meta))
  if used == meta then return meta end
  local written = redis.pcall('SET', m, used, 'KEEPTTL') -- even a full Redis must answer
  return written.err and meta or used
end

local function read(z, m, f)
  local meta = redis.pcall('GET', m)
  local head = redis.pcall('ZREVRANGE', z, 0, count - 1, 'WITHSCORES')
  if wrong_type(meta) or wrong_type(head) then return {} end
  if touch == '1' and meta then
    meta = note_use(m, meta)
  elseif touch == '1' and f and redis.pcall('GET', f) == 's' then
    redis.pcall('DEL', f)
  end
  return { meta, redis.call('ZCARD', z), head }
end

local readings = { (string.match(replication, 'master_replid:(%x+)')) }
for i = 1, #KEYS, keys_a_user do
  readings[#readings + 1] = read(KEYS[i], KEYS[i + 1], keys_a_user == 3 and KEYS[i + 2])
end
return readings
