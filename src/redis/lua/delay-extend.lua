#!lua flags=allow-oom
-- Prolongs the hold on items of a delay queue, where it is still the hold of the call that took them.
--
-- KEYS    1 held       sorted set: item → ms when its lease ends
-- ARGV    1 lease_end  as delay-take or this script replied
--         2 lease      ms from now
--         then the items
-- reply   when the lease ends now, as delay-take replies; then the items whose hold was prolonged
-- The server's own clock is used: one clock for every process.
-- Runs at maxmemory (allow-oom): it adds nothing.

local held, lease_end, lease = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
assert(lease_end and lease and lease > 0 and #ARGV >= 3, 'delay-extend: bad arguments')

local time = redis.call('TIME')
local later = string.format('%.3f', time[1] * 1000 + time[2] / 1000 + lease)

local reply = { later }
for i = 3, #ARGV do
  if tonumber(redis.call('ZSCORE', held, ARGV[i]) or -1) == lease_end then
    redis.call('ZADD', held, later, ARGV[i])
    reply[#reply + 1] = ARGV[i]
  end
end
return reply
