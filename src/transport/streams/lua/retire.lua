-- Forgets consumers of a group that hold nothing: each process has a name of its own, and names would pile up.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 consumer  to be forgotten however recently it was active
--         3 idle      ms after which the others are forgotten, too
-- reply   how many were forgotten
-- A consumer that holds entries stays: with it, they would be lost.

local stream, group, consumer, idle = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
assert(idle, 'retire: bad arguments')

local forgotten = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  local one = {}
  for i = 1, #flat, 2 do one[flat[i]] = flat[i + 1] end
  if one['pending'] == 0 and (one['name'] == consumer or one['idle'] >= idle) then
    redis.call('XGROUP', 'DELCONSUMER', stream, group, one['name'])
    forgotten = forgotten + 1
  end
end
return forgotten
