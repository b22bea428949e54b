#!lua flags=allow-oom
-- Creates a consumer group that reads a stream from its beginning, and the stream if it does not exist.
--
-- KEYS    1 stream
-- ARGV    1 group
-- reply   1 created; 0 it existed
-- Runs at maxmemory (allow-oom): a stream that filled Redis before its first consumer started must be drained.

local stream, group = KEYS[1], ARGV[1]
assert(#ARGV == 1 and #group > 0, 'create-group: bad arguments')

local reply = redis.pcall('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
if not reply.err then return 1 end
if string.find(reply.err, 'BUSYGROUP', 1, true) then return 0 end
return reply
