-- Lets entries of a group be taken over although the server's clock was set back: Redis counts how long an entry has been
-- idle from the time of its delivery, and one that was delivered "later than now" is not idle until the clock gets there.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 after  the entry behind which to look; '-': from the first
--         3 count  of entries to look at
-- reply   the last entry looked at; '-': there are no more
-- Such an entry shows 0 ms, as does one that was delivered or renewed just now, to which nothing happens: its holder stays
-- the holder, from now on. One that is no longer in the stream is left alone: XAUTOCLAIM tells of it.

local stream, group, after, count = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
assert(count and count > 0, 'clock-back: bad arguments')
if redis.call('EXISTS', stream) == 0 then return '-' end

local from = after == '-' and '-' or '(' .. after
local pending = redis.call('XPENDING', stream, group, from, '+', count)
for _, entry in ipairs(pending) do
  local id, holder, idle = entry[1], entry[2], entry[3]
  if idle == 0 and #redis.call('XRANGE', stream, id, id) > 0 then
    redis.call('XCLAIM', stream, group, holder, 0, id, 'IDLE', 0, 'JUSTID')
  end
end
return #pending < count and '-' or pending[#pending][1]
