-- One step on documents and indexes: a read, or a commit if all its expectations still hold. The script reads no JSON
-- and knows no rule. `script-arguments.ts` writes its words; before each list comes its length, unless it is the last.
-- Answers { Redis TIME, the time that decides, outcome, documents, ranges }; times are ms, as text.

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
-- Passes over some words. Returns where they begin and end.
local function take(count)
  local first = at + 1
  at = at + count
  return first, at
end

-- Calls a command with many words, some at a time. Returns all answers in one list.
local function call(name, words, first, last)
  if last - first < MOST_WORDS then
    return last >= first and redis.call(name, unpack(words, first, last)) or {}
  end
  local found = {}
  for from = first, last, MOST_WORDS do
    local some = redis.call(name, unpack(words, from, math.min(from + MOST_WORDS - 1, last)))
    -- Not ipairs: what is absent is false. MSET and DEL answer no list.
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
  local documents = call('MGET', ARGV, take(number()))
  local ranges = {}
  while at < #ARGV do
    local start, first, last = word(), take(number())
    local members, named = redis.call('ZRANGE', unpack(ARGV, first, last)), {}
    for i, member in ipairs(members) do
      named[i] = start .. string.sub(member, string.find(member, '\0', 1, true) + 1)
    end
    ranges[#ranges + 1] = { members, call('MGET', named, 1, #named) }
  end
  return { whole(real), whole(now), 'ok', documents, ranges }
end

-- A commit. The time must be in these bounds.
local from, before = number(), number()

-- The documents' keys, their expected beginnings ('' for none, '*' for any), and their new texts ('' if it stays).
local count = number()
local firstKey, lastKey = take(count)
local documents = call('MGET', ARGV, firstKey, lastKey)

-- An equal version means an equal text, and that this very commit happened.
local isUnchanged, isRepeat, puts = true, false, {}
for i = 1, count do
  local document, expected, stored = documents[i], ARGV[lastKey + i], ARGV[lastKey + count + i]
  if expected == '' then
    isUnchanged = isUnchanged and not document
  elseif expected ~= '*' then
    -- A damaged document may lack the space that ends its version.
    isUnchanged = isUnchanged and document
      and (string.sub(document, 1, #expected) == expected or document .. ' ' == expected)
  end
  if stored ~= '' then
    isRepeat = isRepeat or document == stored
    puts[#puts + 1] = ARGV[firstKey + i - 1]
    puts[#puts + 1] = stored
  end
end
take(2 * count)

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
call('MSET', puts, 1, #puts)
call('DEL', ARGV, take(number()))
-- Entries to remove, then those to add: an index, and a member.
for _ = 1, number() do
  redis.call('ZREM', word(), word())
end
while at < #ARGV do
  redis.call('ZADD', word(), '0', word())
end
return { whole(real), whole(now), 'ok' }
