#!lua flags=allow-oom
-- Reads the position of a stream's consumer group, and what others than we have done to it.
--
-- KEYS    1 stream
--         2 marks    what only we write: see mark-read.lua
-- ARGV    1 group
--         2 accept   1: what was found is not reported again: the group counts as left here, and what was removed as removed by us
--         3 former   pattern of the names of consumers of a former version, which mark nothing
--         4 recent   one of them that was active within so many ms explains what was moved, removed or acknowledged
-- reply   nil if the stream or the group does not exist; otherwise
--         { last entry ever added, last entry delivered to the group,
--           entries removed from the front before the group had read them,
--           entries that others removed, without those that are still pending,
--           entries that others have acknowledged, or whose consumer they have deleted,
--           1: there is something to accept,
--           1: an entry was never delivered that is not behind the group, there is no mark of the group, or it is of another stream,
--           1: a consumer of a former version is active }
-- The fourth is known only where nothing is left of what the group has read. Our own trimming stays behind what is acknowledged.

local stream, marks, group, accept, former, recent = KEYS[1], KEYS[2], ARGV[1], ARGV[2] == '1', ARGV[3], tonumber(ARGV[4])
assert(#ARGV == 4 and recent, 'group-state: bad arguments')

if redis.call('EXISTS', stream) == 0 then return false end

local state
for _, flat in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local candidate = fields(flat)
  if candidate['name'] == group then state = candidate end
end
if not state then return false end

local marked = cjson.decode(redis.call('GET', marks) or '{"read":{}}')
local all = fields(redis.call('XINFO', 'STREAM', stream))
local delivered, read = state['last-delivered-id'], state['entries-read']
local removed = all['entries-added'] - all['length']

local function removed_unread()
  local first = all['first-entry']
  local nothing_left = not first or before(delivered, first[1])
  if not (read and nothing_left and removed > read) then return 0 end
  if accept then
    local behind = first and delivered or all['last-generated-id']
    redis.call('XGROUP', 'SETID', stream, group, behind, 'ENTRIESREAD', removed)
    delivered = behind
  end
  return removed - read
end

-- Pending entries that are gone are found when they are claimed.
local function pending_and_gone(limit)
  local gone = 0
  for _, entry in ipairs(redis.call('XPENDING', stream, group, '-', '+', limit)) do
    if #redis.call('XRANGE', stream, entry[1], entry[1]) == 0 then gone = gone + 1 end
  end
  return gone
end

local function is_skipped()
  local mark = marked.read[group]
  if not mark then return true end
  local from = '(' .. mark
  while before(mark, delivered) do
    local some = redis.call('XRANGE', stream, from, delivered, 'COUNT', 100)
    for _, entry in ipairs(some) do
      if #redis.call('XPENDING', stream, group, entry[1], entry[1], 1) == 0 then return true end
    end
    if #some < 100 then return false end
    from = '(' .. some[#some][1]
  end
  return false
end

local function is_mixed()
  for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
    local consumer = fields(flat)
    if string.match(consumer['name'], former) and consumer['idle'] < recent then return true end
  end
  return false
end

local unread = removed_unread()
local foreign = removed - (marked.trimmed or 0)
local unexplained = foreign > 0 and math.max(0, foreign - pending_and_gone(1000)) or 0
local skipped, mixed = foreign < 0 or is_skipped(), is_mixed()
local settled = math.max(0, ((marked.open or {})[group] or 0) - state['pending'])
if accept then
  marked.open = marked.open or {}
  marked.trimmed, marked.read[group], marked.open[group] = removed, delivered, state['pending']
  redis.call('SET', marks, cjson.encode(marked))
end
return {
  all['last-generated-id'], delivered, unread, unexplained, settled,
  (foreign > 0 or skipped or settled > 0) and 1 or 0, skipped and 1 or 0, mixed and 1 or 0,
}
