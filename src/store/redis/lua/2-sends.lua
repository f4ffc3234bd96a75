-- Sends: a hash each, and the indexes that follow from its state.

-- Sends as this step sees them, and what it has changed about them; `finish` writes that, each send at once.
local known = {}
local touched = {}

local function sendKey(id)
  return prefix .. 'send:' .. id
end

local function readHash(key)
  local flat = redis.call('HGETALL', key)
  local fields = {}
  for i = 1, #flat, 2 do
    fields[flat[i]] = flat[i + 1]
  end
  return fields
end

local function sendOf(id)
  if not known[id] then
    known[id] = readHash(sendKey(id))
    known[id].id = id
  end
  return known[id]
end

-- Sets a field of a send, or removes it.
local function put(send, field, value)
  touched[send.id] = touched[send.id] or { set = {}, gone = {} }
  touched[send.id].set[field] = value
  touched[send.id].gone[field] = value == nil or nil
  send[field] = value
end

local function add(send, field, amount)
  put(send, field, whole((send[field] or 0) + amount))
end

local function flatOf(fields)
  local flat = {}
  for field, value in pairs(fields) do
    flat[#flat + 1] = field
    flat[#flat + 1] = value
  end
  return flat
end

local function write(key, set, gone)
  local flat = flatOf(set)
  if #flat > 0 then
    redis.call('HSET', key, unpack(flat))
  end
  if gone and #gone > 0 then
    redis.call('HDEL', key, unpack(gone))
  end
end

local function merge(record, set, gone)
  for field, value in pairs(set) do
    record[field] = value
  end
  for _, field in ipairs(gone or {}) do
    record[field] = false
  end
end

-- Drafts, by their place and by their end.
local function indexDraft(send)
  if send.state == 'draft' then
    redis.call('ZADD', prefix .. 'drafts', send.expiresAt, send.id)
    redis.call('SADD', prefix .. 'drafts-of:' .. send.team .. '/' .. send.place, send.id)
  else
    redis.call('ZREM', prefix .. 'drafts', send.id)
    redis.call('SREM', prefix .. 'drafts-of:' .. send.team .. '/' .. send.place, send.id)
  end
end

-- Expired drafts that have more than they keep, by their end.
local function indexExpired(send)
  if send.keeps then
    redis.call('ZADD', prefix .. 'expired', whole(math.min(send.endedAt, send.expiresAt)), send.id)
  else
    redis.call('ZREM', prefix .. 'expired', send.id)
  end
end

local function changeSend(id, set, gone)
  local send = sendOf(id)
  local was = send.state
  for field, value in pairs(set) do
    put(send, field, value)
  end
  for _, field in ipairs(gone or {}) do
    put(send, field, nil)
  end
  if was ~= send.state and (was == 'draft' or send.state == 'draft') then
    indexDraft(send)
  end
  if send.state == 'expired' then
    indexExpired(send)
  end
end

-- Running sends of an instance that have pending chunks, in the order of their turns.
local function workKey(kind, instance)
  return prefix .. 'work:' .. kind .. ':' .. instance
end

local function indexWork(send)
  local key = workKey(send.kind, send.instance)
  local instances = prefix .. 'instances:' .. send.kind
  if send.state == 'running' and redis.call('EXISTS', prefix .. 'pending:' .. send.id) == 1 then
    local turn = send.kind == 'single' and send.decidedAt or send.servedAt
    redis.call('ZADD', key, turn or 0, send.id)
    redis.call('SADD', instances, send.instance)
  elseif redis.call('ZREM', key, send.id) == 1 and redis.call('EXISTS', key) == 0 then
    redis.call('SREM', instances, send.instance)
  end
end

-- A send is open while it runs, waits in pause, or has something in flight.
local function indexOpen(send)
  local open = send.state == 'running'
    or send.state == 'paused'
    or redis.call('EXISTS', prefix .. 'sending:' .. send.id) == 1
  redis.call(open and 'SADD' or 'SREM', prefix .. 'open:' .. send.instance, send.id)
end

-- Ends a step that changes sends or chunks. Each change moves the send's version: what was computed from an older one
-- is refused.
local function finish()
  for id, change in pairs(touched) do
    local send = known[id]
    add(send, 'v', 1)
    local gone = {}
    for field in pairs(change.gone) do
      gone[#gone + 1] = field
    end
    write(sendKey(id), change.set, gone)
    if send.state ~= 'draft' then
      indexWork(send)
      indexOpen(send)
    end
  end
end
