#!lua flags=allow-oom
-- Acknowledges entries, and counts them: what leaves the group's pending entries without being counted was settled by somebody else.
--
-- KEYS    1 stream
--         2 marks    what only we write: see mark-read.lua
-- ARGV    1 group
--         then the entries, which were marked as read
-- reply   how many of them were pending
-- Runs at maxmemory (allow-oom): acknowledging makes room.

local stream, marks, group = KEYS[1], KEYS[2], ARGV[1]
assert(#ARGV >= 2, 'acknowledge: bad arguments')

local ended = 0
for i = 2, #ARGV, 1000 do
  ended = ended + redis.call('XACK', stream, group, unpack(ARGV, i, math.min(i + 999, #ARGV)))
end
local all = cjson.decode(redis.call('GET', marks) or '{"read":{}}')
local open = (all.open or {})[group]
if open and ended > 0 then
  all.open[group] = math.max(0, open - ended)
  redis.call('SET', marks, cjson.encode(all))
end
return ended
