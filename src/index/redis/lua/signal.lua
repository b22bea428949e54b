#!lua flags=allow-oom
-- Asks for a check of those of some users who are watched. One who already waits keeps their time, so that a later hint never
-- postpones an earlier one.
--
-- KEYS    1 watched  set of users
--         2 due      sorted set: user → ms when the check is due
--         3 all      sorted set: every user who waits or is held, by id; all scores are 0
-- ARGV    1 delay    ms from now until they are due
--         then the users
-- reply   the number of watched users among them
-- The two sorted sets are those of a delay queue (delay-put.lua). Uses the server's clock. Runs at maxmemory (allow-oom): there
-- are at most as many entries as watched users, and their tasks are then acknowledged.

local watched, due, all, delay = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
assert(delay and delay >= 0 and #ARGV >= 2, 'signal: bad arguments')

local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000) + delay
local found = 0
for i, is_watched in ipairs(redis.call('SMISMEMBER', watched, unpack(ARGV, 2))) do
  if is_watched == 1 then
    found = found + 1
    redis.call('ZADD', due, 'NX', at, ARGV[i + 1])
    redis.call('ZADD', all, 0, ARGV[i + 1])
  end
end
return found
