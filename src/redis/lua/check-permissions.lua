-- Which commands the user of this connection may not run on this key. Writes nothing.
-- KEYS[1]  a key as Recency's are
-- ARGV     one command each, its words separated by spaces; `@` stands for the key
-- Returns  those that are not allowed, as they were given
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
