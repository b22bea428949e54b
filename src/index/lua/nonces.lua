-- The nonces of many users, to be read before MySQL is.
--
-- KEYS    m of each user
-- ARGV    none
-- reply   one bulk string a user: the nonce, or '' where there is none (cold) or the key is no hash
-- writes  nothing

-- Any other error ends the script before it has written.
local function wrong_type(reply)
  if type(reply) ~= 'table' or not reply.err then return false end
  assert(string.find(reply.err, 'WRONGTYPE', 1, true), reply.err)
  return true
end

local nonces = {}
for i = 1, #KEYS do
  local g = redis.pcall('HGET', KEYS[i], 'g')
  nonces[i] = not wrong_type(g) and g or ''
end
return nonces
