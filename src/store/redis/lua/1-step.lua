-- Every step of the ledger on Redis. ARGV: prefix of all keys, epoch, notAfter, clock, name of the step, its input as
-- JSON, then texts that the input names by number. Answers { Redis TIME in ms, 'ok' | 'late' | 'epoch', answer }.
local prefix, epoch, notAfter, clock, step = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]

-- Numbers go out as text: Redis would cut them to 32 bits or round them.
local function whole(number)
  return string.format('%.0f', number)
end

local time = redis.call('TIME')
local real = time[1] * 1000 + math.floor(time[2] / 1000)
-- Whoever asked has given up: what it holds for undone must stay undone.
if real > notAfter then
  return { whole(real), 'late' }
end
if redis.call('GET', prefix .. 'epoch') ~= epoch then
  return { whole(real), 'epoch' }
end

-- The clock that decides. Only a test gives one of its own.
local now = clock == '' and real or tonumber(clock)
local input = cjson.decode(ARGV[6])
local function blob(number)
  return ARGV[6 + number]
end

local steps = {}
