#!lua flags=allow-oom
-- Notes that a plan for an owner's audience is about to be published, unless one of the same epoch is published and waits.
--
-- KEYS    1 note   string: <epoch> <plan> <pending | published>
-- ARGV    1 epoch
--         2 plan   its name
--         3 ttl    ms until the note expires
-- reply   1 noted; 0 another plan waits
-- Runs at maxmemory (allow-oom): there is one note for each owner, until the plan is taken.

local note, epoch, plan, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
assert(#ARGV == 3 and tonumber(ttl) > 0, 'begin-plan: bad arguments')

local before, state = string.match(redis.call('GET', note) or '', '^(%S+) %S+ (%S+)$')
if before == epoch and state == 'published' then return 0 end
redis.call('SET', note, epoch .. ' ' .. plan .. ' pending', 'PX', ttl)
return 1
