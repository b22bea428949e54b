#!lua flags=allow-oom
-- Puts items into a delay queue. An item that waits already keeps its time: many requests for one thing are one.
--
-- KEYS    1 due    sorted set: item → ms when it is due
-- ARGV    1 delay  ms from now
--         then the items
-- reply   how many were new
-- The server's own clock is used: one clock for every process.
-- Runs at maxmemory (allow-oom): what is put off takes the place of a task that is then acknowledged.

local due, delay = KEYS[1], tonumber(ARGV[1])
assert(delay and delay >= 0 and #ARGV >= 2, 'delay-put: bad arguments')

local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000) + delay
local added = 0
for i = 2, #ARGV do
  added = added + redis.call('ZADD', due, 'NX', at, ARGV[i])
end
return added
