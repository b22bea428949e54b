-- Deletes a lease, but only if this holder still has it: a late holder must not delete the lease of its successor.
--
-- KEYS    1 lease    string: the holder's id
-- ARGV    1 holder
-- reply   1  deleted
--         0  it has expired, or another process holds it; nothing written

local lease, holder = KEYS[1], ARGV[1]
assert(#ARGV == 1 and #holder > 0, 'lease-release: bad arguments')

if redis.call('GET', lease) ~= holder then return 0 end
return redis.call('DEL', lease)
