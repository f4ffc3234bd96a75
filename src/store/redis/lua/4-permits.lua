-- Permits of a key's lane: members of a sorted set, by the time until which they are live.

-- Takes a permit, or says when one is next to be had.
local function takePermit(lane, token, permits)
  local key = prefix .. 'lane:' .. lane
  for _, over in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', whole(now))) do
    redis.call('ZREM', key, over)
    redis.call('HDEL', prefix .. 'permits', over)
  end
  local live = redis.call('ZCARD', key)
  if live >= permits.allowed then
    local next = live - permits.allowed
    return tonumber(redis.call('ZRANGE', key, next, next, 'WITHSCORES')[2])
  end
  redis.call('ZADD', key, whole(now + permits.lasts), token)
  redis.call('HSET', prefix .. 'permits', token, lane)
end

-- Sets a permit's end by what became of its request: so many ms from now, or at once.
local function endPermit(token, lasts)
  local lane = redis.call('HGET', prefix .. 'permits', token)
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
  if redis.call('HGET', prefix .. 'permits', ask.token) == ask.lane then
    return { 'taken' }
  end
  local wait = takePermit(ask.lane, ask.token, ask.permits)
  if wait then
    return { 'wait', whole(wait) }
  end
  return { 'taken' }
end

function steps.returnPermit(ask)
  endPermit(ask.token, ask.lasts)
end
