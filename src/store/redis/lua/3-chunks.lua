-- Chunks: a hash each, the counts of their send, and the indexes that follow from their state.

local function chunkKey(id, index)
  return prefix .. 'chunk:' .. id .. ':' .. whole(index)
end

-- Padded, so that members of the same score stand in the order of their numbers.
local function padded(index)
  return string.format('%09d', index)
end

local function refOf(id, index)
  return whole(index) .. ' ' .. id
end

local function readRef(ref)
  local index, id = string.match(ref, '^(%d+) (.*)$')
  return id, tonumber(index)
end

local CHUNK_INDEXED = {
  'state', 'size', 'token', 'attempt', 'neverStarted', 'root', 'account', 'deadline', 'notBefore', 'staleAt',
  'evidence', 'settledAt', 'otherStatus', 'creditsUsed',
}

local function chunkOf(id, index)
  local values = redis.call('HMGET', chunkKey(id, index), unpack(CHUNK_INDEXED))
  local chunk = {}
  for i, field in ipairs(CHUNK_INDEXED) do
    chunk[field] = values[i]
  end
  return chunk
end

local function count(send, chunk, sign)
  add(send, 'chunks.' .. chunk.state, sign)
  add(send, 'messages.' .. chunk.state, sign * chunk.size)
  if chunk.otherStatus then
    add(send, 'other.' .. chunk.otherStatus, sign * chunk.size)
  end
  if chunk.creditsUsed then
    add(send, 'creditsUsed', sign * chunk.creditsUsed)
  end
  if chunk.root then
    -- The drafted chunk that it descends from counts its whole family.
    local root = chunkKey(send.id, chunk.root)
    local requests = chunk.attempt - (chunk.neverStarted or 0)
    redis.call('HINCRBY', root, 'familyRequests', whole(sign * requests + 0))
    if chunk.state == 'pending' or chunk.state == 'sending' then
      redis.call('HINCRBY', root, 'familyOpen', sign)
    end
  end
end

-- Where a chunk counts as spent: credits with the chunk that was answered, messages with those that were sent.
local function spentAt(send, chunk, ref)
  if not chunk.creditsUsed and chunk.state ~= 'sent' then
    return nil
  end
  local member = (chunk.creditsUsed or 0) .. ' ' .. (chunk.state == 'sent' and chunk.size or 0) .. ' ' .. ref
  return prefix .. 'spent:' .. send.team .. '/' .. send.place, member
end

local function indexChunk(send, index, chunk)
  local ref = refOf(send.id, index)
  count(send, chunk, 1)
  if chunk.state == 'pending' then
    redis.call('ZADD', prefix .. 'pending:' .. send.id, chunk.notBefore or 0, padded(index))
    if chunk.staleAt then
      redis.call('ZADD', prefix .. 'stale', chunk.staleAt, ref)
    end
  elseif chunk.state == 'sending' then
    redis.call('ZADD', prefix .. 'sending:' .. send.id, chunk.deadline, padded(index))
    redis.call('ZADD', prefix .. 'sending', chunk.deadline, ref)
    redis.call('SADD', prefix .. 'sending-of:' .. chunk.account, ref)
    redis.call('HSET', prefix .. 'attempts', chunk.token, ref)
  elseif chunk.state == 'unknown' and chunk.account then
    redis.call('ZADD', prefix .. 'unknown', chunk.settledAt, ref)
    redis.call('ZADD', prefix .. 'unknown-of:' .. chunk.account, chunk.deadline or 0, ref)
    if not chunk.evidence then
      redis.call('ZADD', prefix .. 'unjudged:' .. chunk.account, chunk.settledAt, ref)
      redis.call('SADD', prefix .. 'unjudged', chunk.account)
    end
  end
  local spent, member = spentAt(send, chunk, ref)
  if spent then
    redis.call('ZADD', spent, chunk.settledAt, member)
  end
end

local function unindexChunk(send, index, chunk)
  local ref = refOf(send.id, index)
  count(send, chunk, -1)
  if chunk.state == 'pending' then
    redis.call('ZREM', prefix .. 'pending:' .. send.id, padded(index))
    redis.call('ZREM', prefix .. 'stale', ref)
  elseif chunk.state == 'sending' then
    redis.call('ZREM', prefix .. 'sending:' .. send.id, padded(index))
    redis.call('ZREM', prefix .. 'sending', ref)
    redis.call('SREM', prefix .. 'sending-of:' .. chunk.account, ref)
    redis.call('HDEL', prefix .. 'attempts', chunk.token)
  elseif chunk.state == 'unknown' and chunk.account then
    redis.call('ZREM', prefix .. 'unknown', ref)
    redis.call('ZREM', prefix .. 'unknown-of:' .. chunk.account, ref)
    redis.call('ZREM', prefix .. 'unjudged:' .. chunk.account, ref)
    if redis.call('EXISTS', prefix .. 'unjudged:' .. chunk.account) == 0 then
      redis.call('SREM', prefix .. 'unjudged', chunk.account)
    end
  end
  local spent, member = spentAt(send, chunk, ref)
  if spent then
    redis.call('ZREM', spent, member)
  end
end

-- How a chunk comes to be or changes. `stands`: the chunk, where it was read already.
local function changeChunk(id, index, set, gone, stands)
  local send = sendOf(id)
  local chunk = stands or chunkOf(id, index)
  if chunk.state then
    unindexChunk(send, index, chunk)
  else
    add(send, 'chunks', 1)
  end
  write(chunkKey(id, index), set, gone)
  merge(chunk, set, gone)
  indexChunk(send, index, chunk)
end

local function pendingOf(id)
  local indexes = {}
  for i, member in ipairs(redis.call('ZRANGE', prefix .. 'pending:' .. id, 0, -1)) do
    indexes[i] = tonumber(member)
  end
  return indexes
end

-- What has not left will not leave. By hand, since a job may have a thousand of them.
local function cancelPending(id)
  local send = sendOf(id)
  local indexes = pendingOf(id)
  local messages = 0
  for _, index in ipairs(indexes) do
    local key = chunkKey(id, index)
    local size, root = unpack(redis.call('HMGET', key, 'size', 'root'))
    redis.call('HSET', key, 'state', 'cancelled', 'settledAt', whole(now))
    messages = messages + size
    if root then
      redis.call('HINCRBY', chunkKey(id, root), 'familyOpen', -1)
    end
    if send.kind == 'single' then
      redis.call('ZREM', prefix .. 'stale', refOf(id, index))
    end
  end
  redis.call('DEL', prefix .. 'pending:' .. id)
  for state, sign in pairs({ pending = -1, cancelled = 1 }) do
    add(send, 'chunks.' .. state, sign * #indexes)
    add(send, 'messages.' .. state, sign * messages)
  end
end

-- The list of a withdrawn draft is forgotten: all of it is pending, and in no other index.
local function dropDraft(id)
  local keys = { prefix .. 'pending:' .. id }
  for _, index in ipairs(pendingOf(id)) do
    keys[#keys + 1] = chunkKey(id, index)
  end
  for from = 1, #keys, 1000 do
    redis.call('UNLINK', unpack(keys, from, math.min(#keys, from + 999)))
  end
  for _, field in ipairs({ 'chunks', 'chunks.pending', 'messages.pending' }) do
    put(sendOf(id), field, nil)
  end
end

-- From when on the pending chunks of a confirmed single send are given up.
local function giveUpAt(id, at)
  for _, index in ipairs(pendingOf(id)) do
    changeChunk(id, index, { staleAt = whole(at) })
  end
end

-- Single sends that wait for a permit, or while their key rests, are not given up for it, within reason.
local function excuseWait(instance, wait, staleAfter, longestWait)
  for changed in pairs(touched) do
    indexWork(known[changed])
  end
  for _, id in ipairs(redis.call('ZRANGE', workKey('single', instance), 0, -1)) do
    local most = sendOf(id).decidedAt + longestWait
    for _, index in ipairs(pendingOf(id)) do
      local at = math.min(wait + staleAfter, most)
      local stands = redis.call('HGET', chunkKey(id, index), 'staleAt')
      if stands and at > tonumber(stands) then
        changeChunk(id, index, { staleAt = whole(at) })
      end
    end
  end
end

-- A send's chunks from an index on: those of one state, at most so many.
function steps.chunks(ask)
  local found = {}
  local total = tonumber(redis.call('HGET', sendKey(ask.id), 'chunks') or 0)
  for index = ask.from, total - 1 do
    if #found >= ask.limit then
      break
    end
    local key = chunkKey(ask.id, index)
    if not ask.state or redis.call('HGET', key, 'state') == ask.state then
      found[#found + 1] = { whole(index), redis.call('HGETALL', key) }
    end
  end
  return found
end

-- Unknown chunks that nobody has sent again or said to be sent, with their sends, oldest first.
function steps.unknowns(ask)
  local found = {}
  for _, ref in ipairs(redis.call('ZRANGE', prefix .. 'unknown', 0, -1)) do
    local id, index = readRef(ref)
    local resentAs, saidSentBy = unpack(redis.call('HMGET', chunkKey(id, index), 'resentAs', 'saidSentBy'))
    if not resentAs and not saidSentBy and (not ask.team or sendOf(id).team == ask.team) then
      found[#found + 1] = {
        redis.call('HGETALL', sendKey(id)), whole(index), redis.call('HGETALL', chunkKey(id, index)),
      }
    end
  end
  return found
end

-- What a place's sends were charged since then, and how many messages that were.
function steps.spent(ask)
  local credits, messages = 0, 0
  local key = prefix .. 'spent:' .. ask.team .. '/' .. ask.place
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, ask.since, '+inf')) do
    local used, size = string.match(member, '^(%-?%d+) (%d+) ')
    credits, messages = credits + used, messages + size
  end
  return { whole(credits), whole(messages) }
end
