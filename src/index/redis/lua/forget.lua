#!lua flags=allow-oom
-- Drops users' indexes and leaves a note, so that no rebuild that was requested earlier brings one back: claim.lua refuses it.
-- A running rebuild finds its nonce gone, and its next claim is refused.
--
-- KEYS    z, m and f of each user, in turn
-- ARGV    1 note   'h' (hard): nothing removes it before it expires
--                  's' (soft): a read for the user removes it (read.lua), and so does a request for this rebuild (claim.lua)
--         2 ttl    ms until the note expires
-- reply   OK
-- Runs at maxmemory (allow-oom): it frees more memory than it takes.

local note, ttl = ARGV[1], ARGV[2]
assert(#ARGV == 2 and (note == 'h' or note == 's') and tonumber(ttl) > 0 and #KEYS % 3 == 0, 'forget: bad arguments')

for i = 1, #KEYS, 3 do
  redis.call('DEL', KEYS[i], KEYS[i + 1])
  redis.call('SET', KEYS[i + 2], note, 'PX', ttl)
end
return 'OK'
