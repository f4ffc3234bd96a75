-- Permit and intent in one step.

local function takenAs(id, index)
  return { 'taken', whole(now), flatOf(sendOf(id)), whole(index), redis.call('HGETALL', chunkKey(id, index)) }
end

-- The single send that was confirmed first, of those that do not wait.
local function nextSingle(instance)
  local wait
  for _, id in ipairs(redis.call('ZRANGE', workKey('single', instance), 0, -1)) do
    local pending = redis.call('ZRANGE', prefix .. 'pending:' .. id, 0, -1, 'WITHSCORES')
    for i = 1, #pending, 2 do
      local index, notBefore = tonumber(pending[i]), tonumber(pending[i + 1])
      if (tonumber(redis.call('HGET', chunkKey(id, index), 'staleAt')) or 0) > now then
        if notBefore <= now then
          return id, index
        end
        wait = math.min(wait or notBefore, notBefore)
      end
    end
  end
  return nil, nil, wait
end

-- A job's first chunk that may go now, or when one may.
local function nextOfJob(id)
  local key = prefix .. 'pending:' .. id
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if not first[1] then
    return nil
  end
  if tonumber(first[2]) > now then
    return nil, tonumber(first[2])
  end
  -- The first by its number: of those that never waited one look is enough, of those that did there are few.
  local index = tonumber(first[1])
  for _, waited in ipairs(redis.call('ZRANGEBYSCORE', key, '(0', whole(now))) do
    index = math.min(index, tonumber(waited))
  end
  return index
end

-- The next chunk of the job that was served longest ago and whose breaker has room.
local function nextOfJobs(instance)
  local wait
  for _, id in ipairs(redis.call('ZRANGE', workKey('job', instance), 0, -1)) do
    local index, at = nextOfJob(id)
    if index then
      local flying = redis.call('ZCARD', prefix .. 'sending:' .. id)
      if flying < tonumber(sendOf(id).inFlightLimit) then
        return id, index
      end
      at = tonumber(redis.call('ZRANGE', prefix .. 'sending:' .. id, 0, 0, 'WITHSCORES')[2])
    end
    if at then
      wait = math.min(wait or at, at)
    end
  end
  return nil, nil, wait
end

function steps.take(ask)
  local held = redis.call('HGET', prefix .. 'attempts', ask.token)
  if held then
    return takenAs(readRef(held))
  end
  local single = ask.audience == 'interactive'
  local id, index, wait = (single and nextSingle or nextOfJobs)(ask.instance)
  if wait then
    return { 'wait', whole(wait), '' }
  end
  if not id then
    return { 'idle' }
  end
  if redis.call('HEXISTS', prefix .. 'permits', ask.token) == 1 then
    return { 'used' }
  end
  if not single then
    local job = sendOf(id)
    local since = tonumber(job.servedAt or job.decidedAt)
    if math.abs(now - since) > ask.awayAfter then
      return { 'away', whole(since), flatOf(job) }
    end
  end
  local rests
  wait, rests = takePermit(ask.lane, ask.token, ask.permits)
  if wait then
    if single then
      excuseWait(ask.instance, wait, ask.staleAfter, ask.longestWait)
      finish()
    end
    return { 'wait', whole(wait), rests }
  end
  local chunk = chunkOf(id, index)
  changeChunk(id, index, {
    state = 'sending',
    token = ask.token,
    attempt = whole(chunk.attempt + 1),
    deadline = whole(now + ask.lease),
    account = ask.account,
  }, nil, chunk)
  if not single then
    changeSend(id, { servedAt = whole(now) })
  end
  noteActivity(ask.account)
  finish()
  return takenAs(id, index)
end

-- Sends of an instance that are running or paused, or have something in flight.
function steps.openSends(ask)
  local found = {}
  for i, id in ipairs(redis.call('SMEMBERS', prefix .. 'open:' .. ask.instance)) do
    found[i] = redis.call('HGETALL', sendKey(id))
  end
  return found
end

-- Instances with pending chunks of running sends.
function steps.instancesWithWork(ask)
  local found = {}
  for i, instance in ipairs(redis.call('SMEMBERS', prefix .. 'instances:' .. ask.kind)) do
    local first = redis.call('ZRANGE', workKey(ask.kind, instance), 0, 0)[1]
    found[i] = { sendOf(first).team, instance }
  end
  return found
end

-- What waits: chunks by kind, the oldest job that has some, and the oldest row that is not posted.
function steps.backlog()
  local waiting = {}
  local jobSince, outboxSince
  for i, kind in ipairs({ 'single', 'job' }) do
    local chunks = 0
    for _, instance in ipairs(redis.call('SMEMBERS', prefix .. 'instances:' .. kind)) do
      for _, id in ipairs(redis.call('ZRANGE', workKey(kind, instance), 0, -1)) do
        chunks = chunks + redis.call('ZCARD', prefix .. 'pending:' .. id)
        local decidedAt = kind == 'job' and tonumber(sendOf(id).decidedAt)
        if decidedAt then
          jobSince = math.min(jobSince or decidedAt, decidedAt)
        end
      end
    end
    waiting[i] = whole(chunks)
  end
  for _, queue in ipairs({ 'due:new', 'due:again', 'posting' }) do
    for _, id in ipairs(redis.call('ZRANGE', prefix .. queue, 0, -1)) do
      local since = tonumber(redis.call('HGET', rowKey(id), 'since'))
      outboxSince = math.min(outboxSince or since, since)
    end
  end
  return { waiting[1], waiting[2], jobSince and whole(jobSince) or '', outboxSince and whole(outboxSince) or '' }
end
