-- The first step of a rebuild: makes sure that each user has a nonce, and reads it.
-- A nonce alone is a placeholder: not an index yet, but every change of the user from now on replaces or deletes it.
--
-- KEYS    z, m and f of each user, in turn; f: a note that the user was forgotten (forget.lua)
-- ARGV    1 nonce   fresh; becomes a user's, with the time of this call, only where there is none
--         2 ttl     ms that a placeholder outlives a rebuild that never ends
--         3 asked   1: somebody asks for these very indexes now, which lifts a soft note; 0: they were asked for at some time
-- reply   one bulk string a user: the nonce in force; '' where a key is of the wrong type; '-' where the user was forgotten and
--         has no nonce (nothing is written then)
-- A client whose reply was lost sends the same call again, perhaps much later. The time makes its nonce another one then:
-- otherwise a placeholder that was deleted in between, because something changed, would come back as it was, and a rebuild
-- that had read its rows before the change would find nothing amiss. (Every other write demands the nonce it replaces.)
-- At maxmemory Redis refuses the first SET, and with it the call: no new index is begun there. Where every user has a nonce
-- nothing is written, so that what a consumer must rebuild before it acknowledges is still rebuilt.

local nonce, ttl, asked = ARGV[1], ARGV[2], ARGV[3]
assert(#ARGV == 3 and #nonce > 0 and tonumber(ttl) > 0 and #KEYS % 3 == 0, 'claim: bad arguments')

local time = redis.call('TIME')
nonce = nonce .. '.' .. time[1] .. '.' .. time[2]

local function is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == wanted or kind == 'none'
end

-- Was the user forgotten since this was asked for?
local function is_forgotten(f)
  local note = redis.call('GET', f)
  if note == 's' and asked == '1' then redis.call('DEL', f) end
  return note == 'h' or note == 's' and asked ~= '1'
end

local function nonce_of(z, m, f)
  if not (is(z, 'zset') and is(m, 'string') and is(f, 'string')) then return '' end
  local g = string.match(redis.call('GET', m) or '', '^[^ ]*')
  if g ~= '' then return g end
  if is_forgotten(f) then return '-' end
  redis.call('SET', m, nonce, 'PX', ttl) -- there was none, or not what Recency writes, which must not become an index
  return nonce
end

local nonces = {}
for i = 1, #KEYS, 3 do nonces[#nonces + 1] = nonce_of(KEYS[i], KEYS[i + 1], KEYS[i + 2]) end
return nonces
