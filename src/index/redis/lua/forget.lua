#!lua flags=allow-oom
-- Drops users' indexes, and leaves a note of it, so that no rebuild that was asked for before brings one back: claim.lua
-- refuses it. A rebuild under way finds its nonce gone, and its next claim refused.
--
-- KEYS    z, m and f of each user, in turn
-- ARGV    1 note   'h' (hard): nothing lifts it; 's' (soft): a read by the user lifts it (read.lua), and so does whoever asks for
--                  this very rebuild (claim.lua)
--         2 ttl    ms that the note lasts
-- reply   OK
-- Runs at maxmemory (allow-oom): it gives back more than it takes.

local note, ttl = ARGV[1], ARGV[2]
assert(#ARGV == 2 and (note == 'h' or note == 's') and tonumber(ttl) > 0 and #KEYS % 3 == 0, 'forget: bad arguments')

for i = 1, #KEYS, 3 do
  redis.call('DEL', KEYS[i], KEYS[i + 1])
  redis.call('SET', KEYS[i + 2], note, 'PX', ttl)
end
return 'OK'
