#!lua flags=allow-oom
-- Compares a stream with what is on record of it: see recorded-stream.ts.
--
-- KEYS    1 stream
--         2 marks   what only we write, beside the stream (consumer-group.ts)
-- ARGV    1 origin
--         2 there   1: the entries of these points must still be in the stream; 0: they may have been removed
--         then pairs: added, last
-- reply   { 1: it has this origin, and goes through all of these points, otherwise 0,
--           its origin, how many entries were ever added, the last one's id }
-- Runs at maxmemory (allow-oom): it writes nothing.

local stream, marks, origin = KEYS[1], KEYS[2], ARGV[1]
assert(#ARGV % 2 == 0 and (ARGV[2] == '0' or ARGV[2] == '1'), 'look: bad arguments')

local same = origin_of(marks) == origin
for i = 3, #ARGV, 2 do same = same and goes_through(stream, tonumber(ARGV[i]), ARGV[i + 1], ARGV[2] == '1') end
local added, last = point_of(stream)
return { same and 1 or 0, origin_of(marks), added, last }
