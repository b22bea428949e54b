#!lua flags=allow-oom
-- Removes entries that every group of a stream has acknowledged. Never by length: that would remove entries that still wait. How
-- many we removed is noted: what else is missing was removed by somebody else.
--
-- KEYS    1 stream
--         2 marks  what only we write: see mark-read.lua
-- ARGV    1 limit  entries to look at; slightly more may be removed
--         2 last   the last entry that is on record as published: it stays, with what is behind it
-- reply   how many entries were removed: whole stream nodes only, and so slightly less than the limit; 0 also if there is no
--         stream, or no group that could have acknowledged anything

local stream, marks, limit, last = KEYS[1], KEYS[2], tonumber(ARGV[1]), ARGV[2]
assert(limit and limit > 0 and #ARGV == 2, 'trim: bad arguments')
if redis.call('EXISTS', stream) == 0 then return 0 end

local known = redis.call('GET', marks)
local all = cjson.decode(known or '{"read":{}}')
local keep
for _, flat in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local one = fields(flat)
  local group, delivered = one['name'], one['last-delivered-id']
  -- The oldest entry that is not acknowledged; without one, the last delivered stays, too.
  local oldest = redis.call('XPENDING', stream, group)[2] or delivered
  local mark = all.read[group]
  if mark and before(mark, oldest) then oldest = mark end -- what is behind the mark was perhaps never delivered
  if not keep or before(oldest, keep) then keep = oldest end
end
if not keep then return 0 end
if before(last, keep) then keep = last end
local removed = redis.call('XTRIM', stream, 'MINID', '~', keep, 'LIMIT', limit)
if known and removed > 0 then
  all.trimmed = (all.trimmed or 0) + removed
  redis.call('SET', marks, cjson.encode(all))
end
return removed
