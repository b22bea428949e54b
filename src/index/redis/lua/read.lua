#!lua flags=allow-oom
-- One user's index, or its head, in one piece.
--
-- KEYS    1 z, 2 m, 3 f: a note that the user was forgotten (forget.lua); left out while the slot moves
-- ARGV    1 count   of members to read, from the highest; 0: all
--         2 touch   1: the index is being used, and today is noted as the day of its last use; 0: it is only looked at
--         3 asks    1: this runs without its flags, and has to ask whether the server is a master; otherwise 0
-- reply   an empty list where a key is of the wrong type; otherwise
--         { what m holds, or nil; members in z; { id, score, id, score, … } }
-- writes  nothing but that day, by this server's clock, once a day, and the end of a soft note: who reads may have an index again
-- It is declared as one that may write all the same (no flag no-writes), so that a replica refuses it before it runs: a
-- master that has become one, whose clients nobody has told, would answer from what it held then. That costs nothing.
-- A master that refuses writes for now (its disk, too few replicas) refuses it as well, before it looks whether it is a
-- replica; so it is sent again without its flags, and a write that changes nothing is tried.
-- Runs at maxmemory (allow-oom).

local z, m, f, count, touch, asks = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1]), ARGV[2], ARGV[3]
assert(count and count >= 0 and (touch == '0' or touch == '1') and (asks == '0' or asks == '1'), 'read: bad arguments')

local function refused_by_replica()
  local refused = redis.pcall('ZREMRANGEBYRANK', z, 1, 0) -- from the second on to the first: nobody
  return type(refused) == 'table' and string.find(refused.err, 'READONLY', 1, true) and refused
end

local refused = asks == '1' and refused_by_replica()
if refused then return refused end

-- Any other error ends the script before it has written.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

local meta = redis.pcall('GET', m)
local head = redis.pcall('ZREVRANGE', z, 0, count - 1, 'WITHSCORES')
if wrong_type(meta) or wrong_type(head) then return {} end

-- Never back: a clock that is set back, or a master whose clock is behind, must not make an index look idle.
local function note_use()
  local before, day, after = string.match(meta, '^([^ ]+ [^ ]+ %d%d%d )(%x%x%x%x)( .+)$')
  local today = string.format('%04x', math.floor(redis.call('TIME')[1] / 86400))
  if day and day < today then redis.pcall('SET', m, before .. today .. after, 'KEEPTTL') end -- a full Redis answers all the same
end

if touch == '1' and meta then
  note_use()
elseif touch == '1' and f and redis.pcall('GET', f) == 's' then
  redis.pcall('DEL', f)
end
return { meta, redis.call('ZCARD', z), head }
