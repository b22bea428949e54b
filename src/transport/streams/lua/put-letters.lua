#!lua flags=allow-oom
-- Adds dead letters at the end of their stream, and removes letters that are too old or too many, the oldest first.
--
-- KEYS    1 letters  stream
-- ARGV    1 kept     how long a letter is kept, ms
--         2 max      maximum letters kept
--         then for each letter
--           count   of fields and values together, followed by that many strings: alternating fields and values
-- reply   how many letters were removed because there were too many; those that were too old are not counted
-- Checks every argument before the first write. Uses the server's clock, so that all processes share one clock.
-- Runs at maxmemory (allow-oom): the number of letters is bounded, and a poison task in a stream that has filled Redis must
-- not keep the tasks behind it from being acknowledged.

local letters, kept, max = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
assert(kept and kept > 0 and max and max >= 1, 'put-letters: bad arguments')

local entries, at = {}, 3
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  assert(count and count >= 2 and count % 2 == 0 and at + count <= #ARGV, 'put-letters: bad count')
  entries[#entries + 1] = { at + 1, at + count }
  at = at + count + 1
end

for _, entry in ipairs(entries) do redis.call('XADD', letters, '*', unpack(ARGV, entry[1], entry[2])) end
local now = redis.call('TIME')[1] * 1000
redis.call('XTRIM', letters, 'MINID', '~', string.format('%.0f', math.max(0, now - kept)))
return redis.call('XTRIM', letters, 'MAXLEN', '=', max)
