#!lua flags=allow-oom
-- Adds dead letters at the end of their stream, and removes what is too old or one too many, the oldest first.
--
-- KEYS    1 letters  stream
-- ARGV    1 kept     ms that a letter is kept
--         2 max      the most letters that are kept
--         then of each letter
--           count   of fields and values together, followed by as many texts: fields and values in turns
-- reply   how many were removed because there were too many; those that were too old are not counted
-- Every argument is checked before the first write. The server's own clock is used: one clock for every process.
-- Runs at maxmemory (allow-oom): their number is bounded, and a poison task in a stream that has filled Redis must not keep
-- what comes after it from being acknowledged.

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
