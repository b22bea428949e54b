#!lua flags=allow-oom
-- Takes a lease if no other process holds it. Asking again as the same holder is harmless: the first reply may have been lost.
--
-- KEYS    1 lease    string: the holder's id
-- ARGV    1 holder   random, unique to this holder
--         2 ttl      ms until the lease expires unless it is renewed
-- reply   1  the lease is this holder's
--         0  another process holds it
-- Redis expires keys by its wall clock. A lease with more than `ttl` to go was taken before that clock was set back: it is cut
-- to `ttl`, within which a living holder renews it.
-- Runs at maxmemory (allow-oom): there are only a few leases, and one is for the reaper, which frees memory.

local lease, holder, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #holder > 0 and tonumber(ttl) > 0, 'lease-acquire: bad arguments')

if redis.call('SET', lease, holder, 'NX', 'PX', ttl) then return 1 end
if redis.call('GET', lease) ~= holder then
  if redis.call('PTTL', lease) > tonumber(ttl) then redis.call('PEXPIRE', lease, ttl) end
  return 0
end
redis.call('PEXPIRE', lease, ttl)
return 1
