-- Permits of a key's lane: members of a sorted set, by the time until which they are live. And lanes whose key rests:
-- members of another one, by the time until which it does.

-- Until when a key rests, if it does.
local function restOf(lane)
  local over = lane and tonumber(redis.call('ZSCORE', prefix .. 'rests', lane))
  return over and over > now and over or nil
end

local function laneOf(token)
  return redis.call('HGET', prefix .. 'permits', token)
end

-- Lays the key of a permit to rest for `ms`, or lets it rest longer. Answers until when; nothing where the permit
-- is over.
local function restFor(token, ms)
  local lane = laneOf(token)
  if not lane then
    return nil
  end
  redis.call('ZREMRANGEBYSCORE', prefix .. 'rests', '-inf', whole(now))
  local over = math.max(restOf(lane) or 0, now + ms)
  redis.call('ZADD', prefix .. 'rests', whole(over), lane)
  return over
end

-- Takes a permit, or says when it is worth asking again, and whether the key rests until then.
local function takePermit(lane, token, permits)
  local rests = restOf(lane)
  if rests then
    return rests, 'rests'
  end
  local key = prefix .. 'lane:' .. lane
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', whole(now))) do
    redis.call('ZREM', key, over)
    redis.call('HDEL', prefix .. 'permits', over)
  end
  local live = redis.call('ZCARD', key)
  if live >= permits.allowed then
    local next = live - permits.allowed
    return tonumber(redis.call('ZRANGE', key, next, next, 'WITHSCORES')[2]), ''
  end
  redis.call('ZADD', key, whole(now + permits.lasts), token)
  redis.call('HSET', prefix .. 'permits', token, lane)
end

-- Sets a permit's end by what became of its request: so many ms from now, or at once.
local function endPermit(token, lasts)
  local lane = laneOf(token)
  if not lane then
    return
  end
  if lasts then
    redis.call('ZADD', prefix .. 'lane:' .. lane, 'XX', whole(now + lasts), token)
  else
    redis.call('ZREM', prefix .. 'lane:' .. lane, token)
    redis.call('HDEL', prefix .. 'permits', token)
  end
end

function steps.permit(ask)
  -- Asked again: the first answer may have been lost.
  if laneOf(ask.token) == ask.lane then
    return { 'taken' }
  end
  local wait, rests = takePermit(ask.lane, ask.token, ask.permits)
  if wait then
    return { 'wait', whole(wait), rests }
  end
  return { 'taken' }
end

function steps.returnPermit(ask)
  endPermit(ask.token, ask.lasts)
  if ask.rest then
    restFor(ask.token, ask.rest)
  end
end
