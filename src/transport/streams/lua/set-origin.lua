#!lua flags=allow-oom
-- Gives a stream's history a name, unless somebody else has done so meanwhile.
--
-- KEYS    1 stream
--         2 marks   what only we write, beside the stream (consumer-group.ts)
-- ARGV    1 known   the origin that is to be replaced; empty: it has none
--         2 origin  the new one
-- reply   { its origin now, how many entries were ever added, the last one's id }
-- Runs at maxmemory (allow-oom): a stream that has filled Redis must be drained.

local stream, marks, known, origin = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #origin > 0, 'set-origin: bad arguments')

if origin_of(marks) == known then
  local all = cjson.decode(redis.call('GET', marks) or '{"read":{}}')
  all.origin = origin
  redis.call('SET', marks, cjson.encode(all))
end
local added, last = point_of(stream)
return { origin_of(marks), added, last }
