#!lua flags=allow-oom
-- Marks how far the group has been read, by us: from the mark on, everything up to these entries was delivered to consumers. What was
-- not was skipped: somebody has moved the group.
--
-- KEYS    1 stream
--         2 marks   { origin: see recorded-stream.ts, trimmed: entries that we removed,
--                     read: { group: the last entry that was delivered },
--                     open: { group: how many up to there are not acknowledged } }, as JSON
-- ARGV    1 group
--         2 first   delivered now, to this consumer, and so not acknowledged
--         3 last    likewise
--         4 whole   1: everything from first to last was; 0: perhaps only some of what is between them
--         5 count   how many were delivered now
-- reply   1 marked, or there is no mark yet; 0 an entry was skipped, and nothing changed
-- What was delivered to other consumers and is not marked yet is pending: entries are marked before they are acknowledged.
-- Runs at maxmemory (allow-oom): the mark is a few bytes.

local stream, marks, group, first, last, count = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[5])
assert(#ARGV == 5 and (ARGV[4] == '0' or ARGV[4] == '1') and count, 'mark-read: bad arguments')

local all = cjson.decode(redis.call('GET', marks) or '{"read":{}}')
local mark = all.read[group]
if not mark or not before(mark, last) then return 1 end

local whole = ARGV[4] == '1' and before(mark, first)
local till, from, read = whole and '(' .. first or last, '(' .. mark, whole and count or 0
while true do
  local some = redis.call('XRANGE', stream, from, till, 'COUNT', 100)
  for _, entry in ipairs(some) do
    if #redis.call('XPENDING', stream, group, entry[1], entry[1], 1) == 0 then return 0 end
  end
  read = read + #some
  if #some < 100 then break end
  from = '(' .. some[#some][1]
end
all.read[group] = last
all.open[group] = all.open[group] + read
redis.call('SET', marks, cjson.encode(all))
return 1
