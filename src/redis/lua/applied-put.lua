#!lua flags=allow-oom
-- Records moments up to which every change is applied. A moment never goes back, unless the one before is in the future: then the
-- server's clock was set back after it was written.
--
-- KEYS    1 moments  sorted set: lane → ms since 1970 UTC, by the server's clock
-- ARGV    lane, moment; and so on
-- reply   the number of moments that were written
-- Runs at maxmemory (allow-oom): there is one member for each lane.

local moments = KEYS[1]
assert(#ARGV > 0 and #ARGV % 2 == 0, 'applied-put: bad arguments')
for i = 1, #ARGV, 2 do assert(ARGV[i] ~= '' and tonumber(ARGV[i + 1]), 'applied-put: bad arguments') end

local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local written = 0
for i = 1, #ARGV, 2 do
  local before = tonumber(redis.call('ZSCORE', moments, ARGV[i]) or '-inf')
  if tonumber(ARGV[i + 1]) > before or before > now then
    redis.call('ZADD', moments, ARGV[i + 1], ARGV[i])
    written = written + 1
  end
end
return written
