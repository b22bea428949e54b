-- The side of the embedded Lua: runs a script of Redis as a coroutine that hands every command to its host and is
-- given the reply, both as RESP 2. A script sees what Redis's sandbox shows it, and no global of its own making.
--
-- define(name, source)     compiles; returns '' or why not
-- begin(name, call)        call: RESP array of two arrays, KEYS and ARGV
-- resume(reply)
-- begin and resume return  'C' .. command   the script wants this done
--                          'R' .. reply     it has ended
--                          'E' .. message   it failed

local scripts, running = {}, nil

local function decode(text, at)
  local kind, stop = string.sub(text, at, at), string.find(text, '\r\n', at, true)
  local line = string.sub(text, at + 1, stop - 1)
  at = stop + 2
  if kind == ':' then return tonumber(line), at end
  if kind == '+' then return { ok = line }, at end
  if kind == '-' then return { err = line }, at end
  local length = tonumber(line)
  if length < 0 then return false, at end
  if kind == '$' then return string.sub(text, at, at + length - 1), at + length + 2 end
  local list = {}
  for i = 1, length do list[i], at = decode(text, at) end
  return list, at
end

local function bulk(text)
  return '$' .. #text .. '\r\n' .. text .. '\r\n'
end

-- What Redis makes of a value that a script returns: a number loses its fraction, false is nil, a list ends at its first nil.
local function encode(value)
  local kind = type(value)
  if kind == 'number' then return string.format(':%.0f\r\n', value < 0 and math.ceil(value) or math.floor(value)) end
  if kind == 'string' then return bulk(value) end
  if kind == 'boolean' then return value and ':1\r\n' or '$-1\r\n' end
  if kind ~= 'table' then return '$-1\r\n' end
  if value.err then return '-' .. value.err .. '\r\n' end
  if value.ok then return '+' .. value.ok .. '\r\n' end
  local items = {}
  for i, item in ipairs(value) do items[i] = encode(item) end
  return '*' .. #items .. '\r\n' .. table.concat(items)
end

local function command(...)
  local words = {}
  for i = 1, select('#', ...) do
    local word = select(i, ...)
    if type(word) == 'number' then word = string.format('%.17g', word) end
    assert(type(word) == 'string', 'ERR Lua redis lib command arguments must be strings or integers')
    words[i] = bulk(word)
  end
  return (decode(coroutine.yield('*' .. #words .. '\r\n' .. table.concat(words)), 1))
end

local function call(...)
  local reply = command(...)
  if type(reply) == 'table' and reply.err then error(reply.err, 0) end
  return reply
end

-- Commands may be called within: the pcall of Lua 5.1 cannot be left in the middle, a coroutine can.
local function protected(f, ...)
  local inner = coroutine.create(f)
  local result = { coroutine.resume(inner, ...) }
  while coroutine.status(inner) ~= 'dead' do
    result = { coroutine.resume(inner, coroutine.yield(result[2])) }
  end
  return unpack(result)
end

local function sandbox(keys, args)
  local shown = {
    KEYS = keys, ARGV = args, redis = { call = call, pcall = command },
    assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, pcall = protected, select = select, tonumber = tonumber,
    tostring = tostring, type = type, unpack = unpack, math = math, string = string, table = table,
  }
  local function refuse(_, name) error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2) end
  return setmetatable(shown, { __index = refuse, __newindex = refuse })
end

local function go(...)
  local ok, value = coroutine.resume(running, ...)
  if not ok then return 'E' .. tostring(value) end
  if coroutine.status(running) == 'dead' then return 'R' .. encode(value) end
  return 'C' .. value
end

function define(name, source)
  local script, why = loadstring(source, '@' .. name)
  scripts[name] = script
  return why or ''
end

function begin(name, text)
  local given = decode(text, 1)
  running = coroutine.create(setfenv(scripts[name], sandbox(given[1], given[2])))
  return go()
end

function resume(text)
  return go(text)
end
