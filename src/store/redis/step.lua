-- One step on documents and indexes: a read, or a commit where all that it expects is still so. It reads no JSON and
-- knows no rule: `arguments.ts` hands over whole commands, each after the number of its words.
-- Answers { Redis TIME, the time that decides, outcome, documents, ranges }; times are ms, as text.

-- unpack takes fewer than 8,000.
local MOST_KEYS = 2000

local at = 0
local function word()
  at = at + 1
  return ARGV[at]
end
local function number()
  return tonumber(word())
end
local function command()
  local first = at + 2
  at = first + number() - 1
  return redis.call(unpack(ARGV, first, at))
end

local function extend(list, more)
  -- Not ipairs: what is absent is false, and a plain loop is faster.
  for i = 1, #more do
    list[#list + 1] = more[i]
  end
end

-- Redis would cut a number to 32 bits or round it.
local function whole(ms)
  return string.format('%.0f', ms)
end

local epochKey, epoch, notAfter, clock = word(), word(), number(), word()
local time = redis.call('TIME')
local real = time[1] * 1000 + math.floor(time[2] / 1000)
-- Only a test gives a clock of its own.
local now = clock == '' and real or tonumber(clock)

-- Its caller has given up: what that takes for undone must stay undone.
if real > notAfter then
  return { whole(real), whole(now), 'given up' }
end
local found = redis.call('GET', epochKey)
if found ~= epoch then
  return { whole(real), whole(now), 'other epoch', found }
end

local documents = {}
for _ = 1, number() do
  extend(documents, command())
end
local ranges = {}
for i = 1, number() do
  ranges[i] = { start = word(), members = command() }
end

local function documentsOf(range)
  local keys, found = {}, {}
  for i, member in ipairs(range.members) do
    keys[i] = range.start .. string.sub(member, string.find(member, '\0', 1, true) + 1)
  end
  for first = 1, #keys, MOST_KEYS do
    extend(found, redis.call('MGET', unpack(keys, first, math.min(first + MOST_KEYS - 1, #keys))))
  end
  return found
end

local function reading(outcome)
  local found = {}
  for i, range in ipairs(ranges) do
    found[i] = { range.members, documentsOf(range) }
  end
  return { whole(real), whole(now), outcome, documents, found }
end

if word() == 'read' then
  return reading('ok')
end

-- The time must be in these bounds.
local from, before = number(), number()

local function isAt(document, version)
  return document and string.sub(document, 1, #version) == version
end

-- For each document the version that it must have ('' for none, '*' for any) and the one that it gets, if any.
local isUnchanged, isRepeat = true, false
for i = 1, #documents do
  local document, expected, written = documents[i], word(), word()
  if expected == '' then
    isUnchanged = isUnchanged and not document
  elseif expected ~= '*' then
    isUnchanged = isUnchanged and isAt(document, expected)
  end
  isRepeat = isRepeat or (written ~= '' and isAt(document, written))
end

if isRepeat then
  -- WAIT promises no more than this connection's own writes: here is one that comes after the first commit.
  redis.call('SET', epochKey, epoch)
  return { whole(real), whole(now), 'ok' }
end
if now < from or now >= before then
  return reading('late')
end
if not isUnchanged then
  return reading('conflict')
end
while at < #ARGV do
  command()
end
return { whole(real), whole(now), 'ok' }
