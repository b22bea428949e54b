-- What several scripts of this folder begin with: it is put behind the first line of each.

local function fields(flat)
  local map = {}
  for i = 1, #flat, 2 do map[flat[i]] = flat[i + 1] end
  return map
end

-- Does entry id a come before entry id b?
local function before(a, b)
  local ams, aseq = string.match(a, '^(%d+)-(%d+)$')
  local bms, bseq = string.match(b, '^(%d+)-(%d+)$')
  ams, aseq, bms, bseq = tonumber(ams), tonumber(aseq), tonumber(bms), tonumber(bseq)
  return ams < bms or (ams == bms and aseq < bseq)
end

-- How far a stream has come: how many entries were ever added, and the last one's id.
local function point_of(stream)
  if redis.call('EXISTS', stream) == 0 then return 0, '0-0' end
  local all = fields(redis.call('XINFO', 'STREAM', stream))
  return all['entries-added'], all['last-generated-id']
end

-- Was the last entry of this stream `last` when it had `added` entries? If that entry has been removed, as only what is on record is,
-- the number of removed entries is all that is left to compare, which is too little where it must still be there.
local function goes_through(stream, added, last, must_be_there)
  local now, last_now = point_of(stream)
  local more = now - added
  if more <= 0 then return more == 0 and last == last_now end
  local first = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  if not first or before(last, first[1]) then return not must_be_there and added <= now - redis.call('XLEN', stream) end
  return #redis.call('XRANGE', stream, last, last) == 1
end

-- The name of this stream's history, which is on record too; empty: it has none yet.
local function origin_of(marks)
  return cjson.decode(redis.call('GET', marks) or '{}').origin or ''
end
