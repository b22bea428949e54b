-- Ends the hold on items of a delay queue, if it is still the hold of the call that took them: meanwhile an item may have been
-- delayed again and be held by another worker, whose hold must not end.
--
-- KEYS    1 due        sorted set: item → ms when it is due
--         2 held       sorted set: item → ms when its lease ends
--         3 all        sorted set: every item that waits or is held, by its text
-- ARGV    1 lease_end  as replied by delay-take
--         then the items
-- reply   the number of holds ended

local due, held, all, lease_end = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
assert(lease_end and #ARGV >= 2, 'delay-finish: bad arguments')

local ended = 0
for i = 2, #ARGV do
  if tonumber(redis.call('ZSCORE', held, ARGV[i]) or -1) == lease_end then
    ended = ended + redis.call('ZREM', held, ARGV[i])
    if not redis.call('ZSCORE', due, ARGV[i]) then redis.call('ZREM', all, ARGV[i]) end
  end
end
return ended
