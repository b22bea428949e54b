-- Finds the slots in which this master of a cluster has keys, whether the slots are its own or not. Writes nothing.
--
-- ARGV    hash tags
-- reply   the slots of those with keys, as numbers
local found = {}
for _, tag in ipairs(ARGV) do
  local slot = redis.call('CLUSTER', 'KEYSLOT', tag)
  if redis.call('CLUSTER', 'COUNTKEYSINSLOT', slot) > 0 then found[#found + 1] = slot end
end
return found
