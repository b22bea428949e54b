-- Deletes consumers of a group that have no entries: each process has its own name, and names would pile up.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 consumer  deleted however recently it was active
--         3 idle      other consumers are deleted after this long without activity, ms
-- reply   how many consumers were deleted
-- A consumer that has entries stays: they would be lost with it.

local stream, group, consumer, idle = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
assert(idle, 'retire: bad arguments')

local deleted = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
  local one = fields(flat)
  if one['pending'] == 0 and (one['name'] == consumer or one['idle'] >= idle) then
    redis.call('XGROUP', 'DELCONSUMER', stream, group, one['name'])
    deleted = deleted + 1
  end
end
return deleted
