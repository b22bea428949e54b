-- Drops indexes that have not been used for long. Checking the day and dropping is atomic for each index.
--
-- KEYS    z and m of each user, in turn
-- ARGV    1 days   an index whose last use is more days ago than this is dropped
-- reply   a string with one character for each user:
--           D  dropped
--           K  kept, or there is no index
-- A set whose other key was evicted is no index and is deleted too. Keys of the wrong type are foreign and stay.

local days = tonumber(ARGV[1])
assert(#ARGV == 1 and days and days >= 1, 'drop-idle: bad arguments')

local oldest = string.format('%04x', math.max(0, math.floor(redis.call('TIME')[1] / 86400) - days))

local function is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == wanted or kind == 'none'
end

local function is_idle(m)
  local meta = redis.call('GET', m)
  if not meta then return true end
  local day = string.match(meta, '^[^ ]+ [^ ]+ %d%d%d (%x%x%x%x) ')
  return day and day < oldest
end

local outcomes = {}
for i = 1, #KEYS, 2 do
  local z, m = KEYS[i], KEYS[i + 1]
  local drops = is(z, 'zset') and is(m, 'string') and is_idle(m) and redis.call('DEL', z, m) > 0
  outcomes[#outcomes + 1] = drops and 'D' or 'K'
end
return table.concat(outcomes)
