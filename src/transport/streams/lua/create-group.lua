#!lua flags=allow-oom
-- Creates a consumer group that reads a stream from its beginning, and the stream if it does not exist.
--
-- KEYS    1 stream
--         2 marks   what only we write, beside the stream (consumer-group.ts)
-- ARGV    1 group
-- reply   1 created; 0 it existed
-- Runs at maxmemory (allow-oom): a stream that filled Redis before its first consumer started must be drained.

local stream, marks, group = KEYS[1], KEYS[2], ARGV[1]
assert(#ARGV == 1 and #group > 0, 'create-group: bad arguments')

local exists = redis.call('EXISTS', stream) == 1
local known = cjson.decode(redis.call('GET', marks) or '{}')
local reply = redis.pcall('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
if reply.err and string.find(reply.err, 'BUSYGROUP', 1, true) then return 0 end
if reply.err then return reply end
local all = exists and known or { origin = known.origin }
all.trimmed, all.read, all.open = all.trimmed or 0, all.read or {}, all.open or {}
all.read[group], all.open[group] = '0-0', 0
redis.call('SET', marks, cjson.encode(all))
return 1
