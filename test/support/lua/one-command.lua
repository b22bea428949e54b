-- One command as a script does it.
--
-- KEYS    1 the command's key
-- ARGV    1 the command's name
--         then what follows the key
-- reply   the command's
return redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))
