-- Renews the hold of a consumer on entries that were delivered to it, or gives them up. Entries that belong to another
-- consumer by now, or to nobody, are left alone: XCLAIM by itself would take them away again.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 consumer
--         3 idle  ms that the entries count as untouched: 0 renews; a long time lets others claim them at once
--         then the entries
-- reply   how many are still held by this consumer
-- Deliveries are not counted: only attempts that ended in an error count, and the consumer counts those.

local stream, group, consumer, idle = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
assert(tonumber(idle) and #ARGV >= 4, 'hold: bad arguments')

local held = {}
for i = 4, #ARGV do
  if #redis.call('XPENDING', stream, group, ARGV[i], ARGV[i], 1, consumer) > 0 then held[#held + 1] = ARGV[i] end
end
for i = 1, #held, 1000 do
  local some = {}
  for j = i, math.min(i + 999, #held) do some[#some + 1] = held[j] end
  some[#some + 1] = 'IDLE'
  some[#some + 1] = idle
  some[#some + 1] = 'JUSTID'
  redis.call('XCLAIM', stream, group, consumer, 0, unpack(some))
end
return #held
