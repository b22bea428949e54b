-- Removes items from a delay queue, whether they wait or are held.
--
-- KEYS    1 due    sorted set: item → ms when it is due
--         2 held   sorted set: item → ms when its lease ends
--         3 all    sorted set: every item that waits or is held, by its text
-- ARGV    the items
-- reply   the number of items that waited or were held

local due, held, all = KEYS[1], KEYS[2], KEYS[3]
assert(#ARGV > 0, 'delay-drop: bad arguments')

local dropped = 0
for _, item in ipairs(ARGV) do
  local found = redis.call('ZREM', due, item) + redis.call('ZREM', held, item)
  redis.call('ZREM', all, item)
  if found > 0 then dropped = dropped + 1 end
end
return dropped
