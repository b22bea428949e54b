#!lua flags=allow-oom
-- The plan that was begun is published: from now on it waits. Nothing changes if another has begun since, or it was taken.
--
-- KEYS    1 note   string: <epoch> <plan> <pending | published>
-- ARGV    1 epoch
--         2 plan   its name
--         3 ttl    ms until the note expires
-- reply   1 it waits; 0 the note is not this plan's any more

local note, epoch, plan, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
assert(#ARGV == 3 and tonumber(ttl) > 0, 'plan-published: bad arguments')

local begun = epoch .. ' ' .. plan
if redis.call('GET', note) ~= begun .. ' pending' then return 0 end
redis.call('SET', note, begun .. ' published', 'PX', ttl)
return 1
