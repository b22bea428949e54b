-- Holds a lease for longer, only while it is the owner's own.
--
-- KEYS    1 lease   string: its owner
-- ARGV    1 owner, 2 ttl (ms)
-- reply   1 renewed; 0 it has ended, or somebody else has it (nothing written)

local lease, owner, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #owner > 0 and tonumber(ttl) > 0, 'lease-renew: bad arguments')

if redis.call('GET', lease) ~= owner then return 0 end
redis.call('PEXPIRE', lease, ttl)
return 1
