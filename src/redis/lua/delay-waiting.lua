#!lua flags=allow-oom
-- Reads one page of the items of a delay queue that wait or are held and whose texts are in given ranges. An item is in `all`
-- from the moment it is put until it is finished, whichever of the other sets it moves to, so none is missed.
--
-- KEYS    1 due    sorted set: item → ms when it is due
--         2 held   sorted set: item → ms when its lease ends
--         3 all    sorted set: every item that waits or is held, by its text
-- ARGV    1 limit  items to examine, at most
--         then the ranges, each a first and a last text in the form of ZRANGE … BYLEX
-- reply   the server's replication id (redis/masters.ts);
--         the number of ranges that were read to their end;
--         the item up to which the next range was read, '' if it was not started;
--         then the items, in the order of the ranges and of their texts
-- writes  what is missing because somebody has removed a key, or Redis has evicted it; otherwise a change would be lost, or pass for done: an
--         item in `all` that neither waits nor is held is due now, and `all` gets the items that only the other two keys have
-- Runs at maxmemory (allow-oom): what it adds was removed before.

local due, held, all, limit = KEYS[1], KEYS[2], KEYS[3], tonumber(ARGV[1])
assert(limit and limit > 0 and #ARGV >= 3 and #ARGV % 2 == 1, 'delay-waiting: bad arguments')

local replication = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lacking = redis.call('ZCARD', due) + redis.call('ZCARD', held) - redis.call('ZCARD', all)
if lacking > 0 then -- unless so many wait again while they are held
  local taken = redis.call('ZRANGE', held, 0, -1)
  for _, item in ipairs(taken) do
    if redis.call('ZSCORE', due, item) then lacking = lacking - 1 end
  end
  if lacking > 0 then
    for _, item in ipairs(taken) do redis.call('ZADD', all, 0, item) end
    for _, item in ipairs(redis.call('ZRANGE', due, 0, -1)) do redis.call('ZADD', all, 0, item) end
  end
end

local items, left = {}, limit
for i = 2, #ARGV, 2 do
  local page = redis.call('ZRANGE', all, ARGV[i], ARGV[i + 1], 'BYLEX', 'LIMIT', 0, left)
  for _, item in ipairs(page) do
    if not (redis.call('ZSCORE', due, item) or redis.call('ZSCORE', held, item)) then redis.call('ZADD', due, now, item) end
    items[#items + 1] = item
  end
  left = left - #page
  if left == 0 then return { replication, (i - 2) / 2, page[#page] or '', unpack(items) } end
end
return { replication, (#ARGV - 1) / 2, '', unpack(items) }
