#!lua flags=allow-oom
-- Takes due items of a delay queue. What was taken and not finished within its lease comes back.
--
-- KEYS    1 due    sorted set: item → ms when it is due
--         2 held   sorted set: item → ms when its lease ends
-- ARGV    1 count  of items to take at the most
--         2 lease  ms
-- reply   when the lease ends, in ms to the microsecond: no other call's lease ends then, so it says which taking this was;
--         then the items taken, the longest due first
-- The server's own clock is used: one clock for every process.
-- Runs at maxmemory (allow-oom): an item moves from one set to the other.

local due, held, count, lease = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2])
assert(count and count > 0 and lease and lease > 0, 'delay-take: bad arguments')

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease_end = string.format('%.3f', time[1] * 1000 + time[2] / 1000 + lease)

for _, item in ipairs(redis.call('ZRANGEBYSCORE', held, '-inf', now, 'LIMIT', 0, count)) do
  redis.call('ZREM', held, item)
  redis.call('ZADD', due, 'NX', now, item)
end

local items = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, count)
for _, item in ipairs(items) do
  redis.call('ZREM', due, item)
  redis.call('ZADD', held, lease_end, item)
end
return { lease_end, unpack(items) }
