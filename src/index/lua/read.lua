-- One user's index, or its head, in one piece.
--
-- KEYS    1 z, 2 m
-- ARGV    1 count   of members to read, from the highest; 0: all
--         2 ttl     ms: an index that is read lives on for this long; 0: leave its expiry alone
-- reply   an empty list where a key is of the wrong type; otherwise
--         { what m holds, or nil; members in z; { id, score, id, score, … } }
-- writes  nothing but the expiry, and that only when a tenth of it has passed: reads stay reads

local z, m, count, ttl = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2])
assert(count and count >= 0 and ttl and ttl >= 0, 'read: bad arguments')

-- Any other error ends the script before it has written.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

local meta = redis.pcall('GET', m)
local head = redis.pcall('ZREVRANGE', z, 0, count - 1, 'WITHSCORES')
if wrong_type(meta) or wrong_type(head) then return {} end

if ttl > 0 and meta and string.find(meta, ' ', 1, true) then
  local left = redis.call('PTTL', m)
  if left >= 0 and left < ttl * 0.9 then
    redis.call('PEXPIRE', z, ttl)
    redis.call('PEXPIRE', m, ttl)
  end
end
return { meta, redis.call('ZCARD', z), head }
