-- One step on documents and indexes: a read, or a commit if all its expectations still hold. The script reads no JSON
-- and knows no rule. `script-arguments.ts` gives it the new documents, and whole commands for the indexes, each after
-- the number of its words. Answers { Redis TIME, the time that decides, outcome, documents, ranges }; times are ms, as
-- text.

-- unpack takes fewer than 8,000. Even, so that pairs stay together.
local MOST_WORDS = 4000

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

-- Calls a command with many words, some at a time. Returns all answers in one list.
local function call(name, words)
  if #words <= MOST_WORDS then
    return #words > 0 and redis.call(name, unpack(words)) or {}
  end
  local found = {}
  for first = 1, #words, MOST_WORDS do
    local some = redis.call(name, unpack(words, first, math.min(first + MOST_WORDS - 1, #words)))
    -- Not ipairs: what is absent is false. MSET answers no list.
    for i = 1, name == 'MGET' and #some or 0 do
      found[#found + 1] = some[i]
    end
  end
  return found
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

-- Its caller has given up, and believes that nothing was done.
if real > notAfter then
  return { whole(real), whole(now), 'given up' }
end
local found = redis.call('GET', epochKey)
if found ~= epoch then
  return { whole(real), whole(now), 'other epoch', found }
end

if word() == 'read' then
  local keys = {}
  for i = 1, number() do
    keys[i] = word()
  end
  local ranges = {}
  while at < #ARGV do
    local start, members, named = word(), command(), {}
    for i, member in ipairs(members) do
      named[i] = start .. string.sub(member, string.find(member, '\0', 1, true) + 1)
    end
    ranges[#ranges + 1] = { members, call('MGET', named) }
  end
  return { whole(real), whole(now), 'ok', call('MGET', keys), ranges }
end

-- A commit. The time must be in these bounds.
local from, before = number(), number()

-- For each document: its expected beginning ('' for none, '*' for any), and its new text ('' if it stays).
local keys, expected, stored = {}, {}, {}
for i = 1, number() do
  keys[i], expected[i], stored[i] = word(), word(), word()
end
local documents = call('MGET', keys)

-- An equal version means an equal text, and that this very commit happened.
local isUnchanged, isRepeat = true, false
for i, version in ipairs(expected) do
  local document = documents[i]
  if version == '' then
    isUnchanged = isUnchanged and not document
  elseif version ~= '*' then
    isUnchanged = isUnchanged and document and string.sub(document, 1, #version) == version
  end
  isRepeat = isRepeat or document == stored[i]
end

if isRepeat then
  -- WAIT waits only for writes of this connection: write something after the first commit.
  redis.call('SET', epochKey, epoch)
  return { whole(real), whole(now), 'ok' }
end
if now < from or now >= before then
  return { whole(real), whole(now), 'late', documents }
end
if not isUnchanged then
  return { whole(real), whole(now), 'conflict', documents }
end
local puts = {}
for i, document in ipairs(stored) do
  if document ~= '' then
    puts[#puts + 1] = keys[i]
    puts[#puts + 1] = document
  end
end
call('MSET', puts)
while at < #ARGV do
  command()
end
return { whole(real), whole(now), 'ok' }
