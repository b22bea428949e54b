#!lua
-- The plan is being carried out: it does not wait any more. Nothing changes if the note is another plan's.
--
-- KEYS    1 note   string: <epoch> <plan> <pending | published:place>
-- ARGV    1 plan   its name
-- reply   1 removed; 0 the note is not this plan's

local note, plan = KEYS[1], ARGV[1]
assert(#ARGV == 1, 'take-plan: bad arguments')

if string.match(redis.call('GET', note) or '', '^%S+ (%S+) %S+$') ~= plan then return 0 end
return redis.call('DEL', note)
