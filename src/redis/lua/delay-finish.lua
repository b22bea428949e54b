-- Ends the hold on items of a delay queue, where it is still the hold of the call that took them: an item may have been
-- put off again meanwhile and be held by somebody else, whose hold is not ours to end.
--
-- KEYS    1 held       sorted set: item → ms when its lease ends
-- ARGV    1 lease_end  as delay-take replied
--         then the items
-- reply   how many holds were ended

local held, lease_end = KEYS[1], tonumber(ARGV[1])
assert(lease_end and #ARGV >= 2, 'delay-finish: bad arguments')

local ended = 0
for i = 2, #ARGV do
  if tonumber(redis.call('ZSCORE', held, ARGV[i]) or -1) == lease_end then
    ended = ended + redis.call('ZREM', held, ARGV[i])
  end
end
return ended
