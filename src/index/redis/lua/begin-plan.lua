#!lua flags=allow-oom
-- Notes that a plan for an owner's audience is about to be published, unless one of the same epoch is published and waits.
--
-- KEYS    1 note   string: <epoch> <plan> <pending | published:place>
-- ARGV    1 epoch
--         2 plan   its name
--         3 ttl    ms until the note expires
--         4 lost   the place of a published plan that does not wait any more; '-': none is known
-- reply   1 noted; 0 another plan waits
-- Runs at maxmemory (allow-oom): there is one note for each owner, until the plan is taken.

local note, epoch, plan, ttl, lost = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
assert(#ARGV == 4 and tonumber(ttl) > 0, 'begin-plan: bad arguments')

-- A version before places were noted wrote 'published' alone.
local before, state, place = string.match(redis.call('GET', note) or '', '^(%S+) %S+ (%a+):?(%S*)$')
if before == epoch and state == 'published' and place ~= lost then return 0 end
redis.call('SET', note, epoch .. ' ' .. plan .. ' pending', 'PX', ttl)
return 1
