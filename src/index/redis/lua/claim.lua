-- The first step of a rebuild: ensures that each user has a nonce, and reads it.
-- A nonce alone is a placeholder: not an index yet, but from now on every change of the user replaces or deletes it.
--
-- KEYS    z, m and f of each user, in turn; f: a note that the user was forgotten (forget.lua)
-- ARGV    1 nonce   fresh; with the time of this call it becomes the nonce of every user who has none
--         2 ttl     ms that a placeholder is kept if its rebuild never ends
--         3 asked   1: these indexes are requested now, which removes a soft note; 0: they were requested at some earlier time
-- reply   one bulk string for each user:
--           the current nonce
--           ''   a key is of the wrong type
--           '-'  the user was forgotten and has no nonce; nothing written
-- A client whose reply was lost sends the same call again, perhaps much later. The time makes its nonce a different one then:
-- otherwise a placeholder that was deleted in between, because something changed, would come back unchanged, and a rebuild
-- that had read its rows before the change would notice nothing. (Every other write requires the nonce that it replaces.)
-- At maxmemory Redis refuses the first SET, and with it the call: no new index is started there. If every user has a nonce,
-- nothing is written, so that what a consumer must rebuild before it acknowledges is still rebuilt.

local nonce, ttl, asked = ARGV[1], ARGV[2], ARGV[3]
assert(#ARGV == 3 and #nonce > 0 and tonumber(ttl) > 0 and #KEYS % 3 == 0, 'claim: bad arguments')

local time = redis.call('TIME')
nonce = nonce .. '.' .. time[1] .. '.' .. time[2]

local function is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == wanted or kind == 'none'
end

-- Was the user forgotten since this was requested?
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
