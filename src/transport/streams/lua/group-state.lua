-- Reads the position of a stream's consumer group, and counts the entries that were removed before it had read them.
--
-- KEYS    1 stream
-- ARGV    1 group
--         2 accept  1: entries found removed are not reported again; if nothing is left, the group stands behind them
-- reply   nil if the stream or the group does not exist; otherwise
--         { last entry ever added, how many were ever added, last entry delivered to the group,
--           entries removed before the group had read them }
-- Detects only a trim from the front: then nothing is left of what the group has read, and more entries are gone than it has
-- read. Our own trimming stays behind what is acknowledged.

local stream, group, accept = KEYS[1], ARGV[1], ARGV[2] == '1'

local function fields(flat)
  local map = {}
  for i = 1, #flat, 2 do map[flat[i]] = flat[i + 1] end
  return map
end

local function before(a, b)
  local ams, aseq = string.match(a, '^(%d+)-(%d+)$')
  local bms, bseq = string.match(b, '^(%d+)-(%d+)$')
  ams, aseq, bms, bseq = tonumber(ams), tonumber(aseq), tonumber(bms), tonumber(bseq)
  return ams < bms or (ams == bms and aseq < bseq)
end

if redis.call('EXISTS', stream) == 0 then return false end

local state
for _, flat in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local candidate = fields(flat)
  if candidate['name'] == group then state = candidate end
end
if not state then return false end

local all = fields(redis.call('XINFO', 'STREAM', stream))
local delivered, read = state['last-delivered-id'], state['entries-read']
local first = all['first-entry']
local nothing_left = not first or before(delivered, first[1])
local removed = all['entries-added'] - all['length']
local unread = 0
if read and nothing_left and removed > read then
  unread = removed - read
  if accept then
    local behind = first and delivered or all['last-generated-id']
    redis.call('XGROUP', 'SETID', stream, group, behind, 'ENTRIESREAD', removed)
  end
end
return { all['last-generated-id'], all['entries-added'], delivered, unread }
