#!lua flags=allow-oom
-- Takes due items of a delay queue. Items that were taken and not finished within their lease come back.
--
-- KEYS    1 due    sorted set: item → ms when it is due
--         2 held   sorted set: item → ms when its lease ends
--         3 all    sorted set: every item that waits or is held, by its text. Adds items here that a version before this set
--                  existed has put
-- ARGV    1 count    items to take, at most
--         2 lease    ms until it ends
--         3 longest  ms: no item is delayed for longer, or held for longer than this or the lease
-- reply   when the lease ends, in ms to the microsecond: no other call's lease ends then, so it identifies this call;
--         then the items taken, the longest due first
-- Uses the server's clock, so that there is one clock for all processes. It may be set back, by an hour or a year: an item that
-- is due further ahead than possible is due now.
-- Runs at maxmemory (allow-oom): items move from one set to another, and are in `all` already.

local due, held, all = KEYS[1], KEYS[2], KEYS[3]
local count, lease, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
assert(count and count > 0 and lease and lease > 0 and longest and longest > 0, 'delay-take: bad arguments')

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease_end = string.format('%.3f', time[1] * 1000 + time[2] / 1000 + lease)

local function come_back(from, to)
  for _, item in ipairs(redis.call('ZRANGEBYSCORE', held, from, to, 'LIMIT', 0, count)) do
    redis.call('ZREM', held, item)
    redis.call('ZADD', due, 'NX', now, item)
  end
end
come_back('-inf', now)
come_back(now + math.max(lease, longest) + 1, '+inf')

for _, item in ipairs(redis.call('ZRANGEBYSCORE', due, now + longest + 1, '+inf', 'LIMIT', 0, count)) do
  redis.call('ZADD', due, now, item)
end

local items = redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, count)
for _, item in ipairs(items) do
  redis.call('ZREM', due, item)
  redis.call('ZADD', held, lease_end, item)
  redis.call('ZADD', all, 'NX', 0, item)
end
return { lease_end, unpack(items) }
