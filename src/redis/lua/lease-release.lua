-- Gives a lease back, only while it is the owner's own: a holder that was late must not delete another's.
--
-- KEYS    1 lease   string: its owner
-- ARGV    1 owner
-- reply   1 deleted; 0 it has ended, or somebody else has it (nothing written)

local lease, owner = KEYS[1], ARGV[1]
assert(#ARGV == 1 and #owner > 0, 'lease-release: bad arguments')

if redis.call('GET', lease) ~= owner then return 0 end
return redis.call('DEL', lease)
