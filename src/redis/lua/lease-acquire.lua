#!lua flags=allow-oom
-- Takes a lease that nobody holds. Asking again as the same owner is no harm: the first reply may have been lost.
--
-- KEYS    1 lease   string: its owner
-- ARGV    1 owner   random, of this holder alone
--         2 ttl     ms until the lease ends unless it is renewed
-- reply   1 it is the owner's; 0 somebody else has it
-- Redis keeps the end of a key by its wall clock. A lease with longer to go than anybody asks for was taken before that
-- clock was set back: it is cut to the usual time, in which a holder that lives renews it.
-- Runs at maxmemory (allow-oom): there is a handful of leases, and one is for the sweep that gives memory back.

local lease, owner, ttl = KEYS[1], ARGV[1], ARGV[2]
assert(#ARGV == 2 and #owner > 0 and tonumber(ttl) > 0, 'lease-acquire: bad arguments')

if redis.call('SET', lease, owner, 'NX', 'PX', ttl) then return 1 end
if redis.call('GET', lease) ~= owner then
  if redis.call('PTTL', lease) > tonumber(ttl) then redis.call('PEXPIRE', lease, ttl) end
  return 0
end
redis.call('PEXPIRE', lease, ttl)
return 1
