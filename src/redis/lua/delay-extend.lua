#!lua flags=allow-oom
-- Extends the hold on items of a delay queue, if it is still the hold of the call that took them.
--
-- KEYS    1 held       sorted set: item → ms when its lease ends
-- ARGV    1 lease_end  as replied by delay-take or by this script
--         2 lease      ms from now
--         then the items
-- reply   when the lease ends now, as in delay-take; then the items whose hold was extended
-- Uses the server's clock, so that there is one clock for all processes.
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
