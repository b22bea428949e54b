-- Finds the commands that this connection's user may not run on a key. Writes nothing.
--
-- KEYS    1 key   a key with Recency's prefix
-- ARGV    commands, the words of each separated by spaces; `@` stands for the key
-- reply   those that are not allowed, as given
local key = KEYS[1]
local denied = {}
for _, command in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(command, '%S+') do
    words[#words + 1] = word == '@' and key or word
  end
  if not redis.acl_check_cmd(unpack(words)) then denied[#denied + 1] = command end
end
return denied
