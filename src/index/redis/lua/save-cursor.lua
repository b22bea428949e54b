#!lua flags=allow-oom
-- Saves how far a fan-out has come.
--
-- KEYS    1 cursor  string
-- ARGV    1 text    JSON
--         2 ttl     ms that it is kept
-- reply   OK
-- Runs at maxmemory (allow-oom): an owner has one cursor, which is removed when the fan-out is done.

local cursor, text, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and tonumber(ttl) > 0, 'save-cursor: bad arguments')

return redis.call('SET', cursor, text, 'PX', ttl)
