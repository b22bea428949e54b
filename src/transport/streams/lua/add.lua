#!lua
-- Adds entries at the end of a stream, in order: all of them or none, so that a consumer that waits is given them together. Only if the
-- stream is the one on record, and has lost nothing of it: see recorded-stream.ts.
--
-- KEYS    1 stream
--         2 marks   what only we write, beside the stream (consumer-group.ts)
-- ARGV    1 origin  of the stream on record
--         2 added   how many entries it had
--         3 last    the last one's id
--         4 step    random, from 1 to 2^24: makes the id of the first entry unique
--         then of each entry the number of its fields and values, then these
-- reply   false: it is another stream, or has lost some of it; otherwise
--         { how many entries were ever added, then the ids of the new ones }
-- Checks every argument before the first write.

local stream, marks, origin, added, last, step = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
assert(added and step and #ARGV > 4, 'add: bad arguments')

local entries, at = {}, 5
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  assert(count and count >= 2 and count % 2 == 0 and at + count <= #ARGV, 'add: bad count')
  entries[#entries + 1] = { at + 1, at + count }
  at = at + count + 1
end
if origin_of(marks) ~= origin or not goes_through(stream, added, last) then return false end

-- Two servers that both are the master for a moment may add their nth entry in the same millisecond. By Redis's own choice both would
-- have the same id.
local _, last_now = point_of(stream)
local last_ms, last_seq = string.match(last_now, '^(%d+)-(%d+)$')
local now = redis.call('TIME')
local ms, seq = now[1] * 1000 + math.floor(now[2] / 1000), step
if ms <= tonumber(last_ms) then ms, seq = tonumber(last_ms), last_seq + step end

local reply = { 0 }
for i, entry in ipairs(entries) do
  local id = i == 1 and string.format('%.0f-%.0f', ms, seq) or string.format('%.0f-*', ms)
  reply[i + 1] = redis.call('XADD', stream, id, unpack(ARGV, entry[1], entry[2]))
end
reply[1] = point_of(stream)
return reply
