#!lua flags=allow-oom
-- Saves how far a fan-out has come.
--
-- KEYS    1 cursor  string
-- ARGV    1 text    JSON
--         2 ttl     ms until it expires
-- reply   OK
-- Runs at maxmemory (allow-oom): there is one cursor for each owner, which is deleted when the fan-out is done.

local cursor, text, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and tonumber(ttl) > 0, 'save-cursor: bad arguments')

return redis.call('SET', cursor, text, 'PX', ttl)
