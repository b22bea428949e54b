#!lua flags=allow-oom
-- The plan that was begun is published: from now on it waits. Nothing changes if another has begun since, or it was taken.
--
-- KEYS    1 note   string: <epoch> <plan> <pending | published:place>
-- ARGV    1 epoch
--         2 plan   its name
--         3 ttl    ms until the note expires
--         4 place  where it is in the bulk lane, without spaces; '': not known
-- reply   1 it waits; 0 the note is not this plan's any more

local note, epoch, plan, ttl, place = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
assert(#ARGV == 4 and tonumber(ttl) > 0 and not string.find(place, '%s'), 'plan-published: bad arguments')

local begun = epoch .. ' ' .. plan
if redis.call('GET', note) ~= begun .. ' pending' then return 0 end
redis.call('SET', note, begun .. ' published:' .. place, 'PX', ttl)
return 1
