-- Lets entries of a group be taken over after the server's clock was set back. Redis measures idle time from an entry's
-- delivery, so an entry that was delivered "later than now" is not idle until the clock gets there.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 after  look at the entries behind this one; '-': from the first
--         3 count  entries to look at
-- reply   the last entry looked at; '-': there are no more
-- Such an entry shows 0 ms idle, as does one that has just been delivered or renewed. Both stay with their consumer, idle from
-- now on, which changes nothing for the latter. Entries that are no longer in the stream are left alone: XAUTOCLAIM reports
-- them.

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
