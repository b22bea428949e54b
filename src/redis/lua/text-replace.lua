#!lua flags=allow-oom
-- Replaces a text, but only if it is still the one that was read.
--
-- KEYS    1 text
-- ARGV    1 before   empty: there was none
--         2 after
-- reply   1  replaced
--         0  another process was first; nothing written
-- Runs at maxmemory (allow-oom): there is one such text.

local text, before, after = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #after > 0, 'text-replace: bad arguments')

if (redis.call('GET', text) or '') ~= before then return 0 end
redis.call('SET', text, after)
return 1
