#!lua flags=allow-oom
-- Puts items into a delay queue. An item that already waits is due at the earlier of both times: several requests for one thing are one.
--
-- KEYS    1 due      sorted set: item → ms when it is due
--         2 all      sorted set: every item that waits or is held, by its text; all scores are 0
--         3 waiting  a sharded channel, not a key, in the same slot: a message when an item begins to wait
-- ARGV    1 delay    ms from now until they are due
--         then the items
-- reply   the number of items that did not wait yet, or until later
-- Uses the server's clock, so that there is one clock for all processes.
-- Runs at maxmemory (allow-oom): equal items are one, so there is at most one for each pair, whose tasks are then acknowledged,
-- and one rebuild for each user whose index a read found too small. What is published may be lost: an account that may not
-- publish only makes delayed work wait a little longer.

local due, all, waiting, delay = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
assert(delay and delay >= 0 and #ARGV >= 2, 'delay-put: bad arguments')

local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000) + delay
local added = 0
for i = 2, #ARGV do
  added = added + redis.call('ZADD', due, 'LT', 'CH', at, ARGV[i])
  redis.call('ZADD', all, 0, ARGV[i])
end
if added > 0 then redis.pcall('SPUBLISH', waiting, '') end
return added
