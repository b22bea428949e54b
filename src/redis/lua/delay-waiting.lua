-- What waits in a delay queue or is being worked on, in one piece: an item that moves from one set to the other meanwhile
-- is never missed.
--
-- KEYS    1 due    sorted set: item → ms when it is due
--         2 held   sorted set: item → ms when its lease ends
-- ARGV    items to look for; none: all
-- reply   those that wait or are held, each once
-- writes  nothing

local due, held = KEYS[1], KEYS[2]
local found = {}

if #ARGV > 0 then
  for _, item in ipairs(ARGV) do
    if redis.call('ZSCORE', due, item) or redis.call('ZSCORE', held, item) then found[#found + 1] = item end
  end
  return found
end

found = redis.call('ZRANGE', due, 0, -1)
for _, item in ipairs(redis.call('ZRANGE', held, 0, -1)) do
  if not redis.call('ZSCORE', due, item) then found[#found + 1] = item end
end
return found
