#!lua flags=allow-oom
-- Asks for a check of those of some users who are watched, and tells whoever streams one of them. A watched user who already
-- waits is checked at the earlier of both times: a signal is postponed neither by another signal nor by a retry.
--
-- KEYS    1 watched   set of users
--         2 due       sorted set: user → ms when the check is due
--         3 all       sorted set: every user who waits or is held, by id; all scores are 0
--         4 streamed  sorted set: user → ms until when somebody streams what they see
--         5 changed   a sharded channel, not a key, in the same slot: ids with a space between them
--         6 waiting   another one: a message when somebody begins to wait
-- ARGV    1 delay     ms from now until they are due
--         then the users
-- reply   the number of watched users among them
-- `due` and `all` are those of a delay queue (delay-put.lua). Uses the server's clock. Runs at maxmemory (allow-oom): there are
-- at most as many entries as watched users, and their tasks are then acknowledged. What is published may be lost: an account
-- that may not publish only makes streams and notifications slower.

local watched, due, all, streamed, changed, waiting = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local delay = tonumber(ARGV[1])
assert(delay and delay >= 0 and #ARGV >= 2, 'signal: bad arguments')

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local told = {}
if redis.call('EXISTS', streamed) == 1 then
  for i, till in ipairs(redis.call('ZMSCORE', streamed, unpack(ARGV, 2))) do
    if till and tonumber(till) > now then table.insert(told, ARGV[i + 1]) end
  end
end
if #told > 0 then redis.pcall('SPUBLISH', changed, table.concat(told, ' ')) end

local found, begun = 0, 0
for i, is_watched in ipairs(redis.call('SMISMEMBER', watched, unpack(ARGV, 2))) do
  if is_watched == 1 then
    found = found + 1
    begun = begun + redis.call('ZADD', due, 'LT', 'CH', now + delay, ARGV[i + 1])
    redis.call('ZADD', all, 0, ARGV[i + 1])
  end
end
if begun > 0 then redis.pcall('SPUBLISH', waiting, '') end
return found
