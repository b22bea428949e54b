#!lua
-- Adds entries at the end of a stream, in order: all of them or none, so that a consumer that waits is given them together.
--
-- KEYS    1 stream
-- ARGV    of each entry the number of its fields and values, then these
-- reply   their ids
-- Checks every argument before the first write.

local entries, at = {}, 1
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  assert(count and count >= 2 and count % 2 == 0 and at + count <= #ARGV, 'add: bad count')
  entries[#entries + 1] = { at + 1, at + count }
  at = at + count + 1
end

local ids = {}
for i, entry in ipairs(entries) do ids[i] = redis.call('XADD', KEYS[1], '*', unpack(ARGV, entry[1], entry[2])) end
return ids
