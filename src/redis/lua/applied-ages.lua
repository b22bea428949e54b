#!lua flags=allow-oom
-- Reads how long ago the moments are up to which every change is applied.
--
-- KEYS    1 moments  sorted set: lane → ms since 1970 UTC, as applied-put has written it
-- ARGV    the lanes
-- reply   the server's time as a text, in ms; then for each lane its age likewise, or '' when it is not known: no moment was
--         written, or it is in the future, because the server's clock was set back
-- Uses the server's clock, so that there is one clock for all processes.
-- Runs at maxmemory (allow-oom): it only reads.

local moments = KEYS[1]
assert(#ARGV > 0, 'applied-ages: bad arguments')

local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local reply = { string.format('%.3f', now) }
for i, lane in ipairs(ARGV) do
  local at = tonumber(redis.call('ZSCORE', moments, lane) or '+inf')
  reply[i + 1] = at <= now and string.format('%.3f', now - at) or ''
end
return reply
