-- Extends a lease, but only if this holder still has it.
--
-- KEYS    1 lease    string: the holder's id
-- ARGV    1 holder
--         2 ttl      ms from now until the lease expires
-- reply   1  renewed
--         0  it has expired, or another process holds it; nothing written

local lease, holder, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #holder > 0 and tonumber(ttl) > 0, 'lease-renew: bad arguments')

if redis.call('GET', lease) ~= holder then return 0 end
redis.call('PEXPIRE', lease, ttl)
return 1
