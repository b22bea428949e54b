-- Renews a consumer's lease on entries that were delivered to it, or gives them up. Entries that now belong to another
-- consumer, or to none, are left alone: XCLAIM by itself would take them back.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 consumer
--         3 idle  new idle time of the entries, ms: 0 renews; a long time lets others claim them at once
--         then the entries
-- reply   how many entries still belong to this consumer
-- Does not count as a delivery: only attempts that end in an error count, and the consumer counts those.

local stream, group, consumer, idle = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
assert(tonumber(idle) and #ARGV >= 4, 'lease-entries: bad arguments')

local owned = {}
for i = 4, #ARGV do
  if #redis.call('XPENDING', stream, group, ARGV[i], ARGV[i], 1, consumer) > 0 then owned[#owned + 1] = ARGV[i] end
end
for i = 1, #owned, 1000 do
  local some = {}
  for j = i, math.min(i + 999, #owned) do some[#some + 1] = owned[j] end
  some[#some + 1] = 'IDLE'
  some[#some + 1] = idle
  some[#some + 1] = 'JUSTID'
  redis.call('XCLAIM', stream, group, consumer, 0, unpack(some))
end
return #owned
