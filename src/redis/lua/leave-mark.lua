#!lua flags=allow-oom
-- Leaves a mark, and says which one it replaces. The same call may come again, because its reply was lost: then it says the same.
--
-- KEYS    1 mark    its value: '<number> <the one before>'
-- ARGV    1 number  of this mark
--         2 ms      how long it is kept
-- reply   the number of the one before; '' if there was none
-- Runs at maxmemory (allow-oom): a process has one mark on each master.

local mark, number, ms = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and number:match('^%d+$'), 'leave-mark: bad arguments')

local there, before = (redis.call('GET', mark) or ''):match('^(%d+) (%d*)$')
if there == number then return before end
redis.call('SET', mark, number .. ' ' .. (there or ''), 'PX', ms)
return there or ''
