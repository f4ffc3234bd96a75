-- The outbox: a hash for each row. Those that wait stand in `due:new` (never tried since they last arrived) or
-- `due:again`, by the time when they are due; those that are being posted in `posting`, by their deadline.

local function rowKey(id)
  return prefix .. 'row:' .. id
end

local function waitIn(row)
  local queue = tonumber(row.attempts) > 0 and 'due:again' or 'due:new'
  redis.call('ZADD', prefix .. queue, row.dueAt, row.id)
end

local ROW = {
  'topic', 'subject', 'details', 'state', 'revision', 'takenRevision', 'since', 'dueAt', 'token', 'attempts', 'posted',
  'postedAt', 'spacing',
}

local function rowOf(id)
  local values = redis.call('HMGET', rowKey(id), unpack(ROW))
  local row = { id = id }
  for i, field in ipairs(ROW) do
    row[field] = values[i]
  end
  return row
end

-- When a spaced row may be posted again. A last post that lies ahead is of a clock that was set back since.
local function spaced(row)
  if row.postedAt and row.spacing then
    return math.max(now, math.min(row.postedAt, now) + row.spacing)
  end
  return now
end

-- Writes a row, or makes it due again with its new details. A spaced row waits for its spacing, and for what a poster
-- who was refused asked for: it is announced too often to be tried each time.
local function announce(news)
  local row = rowOf(news.id)
  local refused = row.state == 'due' and tonumber(row.attempts) > 0 and tonumber(row.spacing or 0) > 0
  row.spacing = news.spacing or row.spacing
  local dueAt = spaced(row)
  if refused then
    dueAt = math.max(dueAt, row.dueAt)
  end
  local set = {
    details = news.details, revision = whole((row.revision or 0) + 1), since = whole(now), dueAt = whole(dueAt),
  }
  if news.spacing then
    set.spacing = news.spacing
  end
  if not row.state then
    set.topic, set.subject, set.attempts = news.topic, news.subject, '0'
  end
  if row.state ~= 'posting' then
    set.state = 'due'
  end
  write(rowKey(news.id), set)
  merge(row, set)
  if row.state == 'due' then
    waitIn(row)
  end
end

function steps.announce(ask)
  announce(ask.news)
end

local function leavePosting(row)
  redis.call('ZREM', prefix .. 'posting', row.id)
  redis.call('HDEL', prefix .. 'posters', row.token)
end

local function shown(row, attempts)
  return { row.id, row.topic, row.subject, row.details, whole(attempts), row.since, row.posted }
end

function steps.takeDue(ask)
  -- A row whose poster went silent counts as due again.
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'posting', '-inf', whole(now))) do
    local row = rowOf(id)
    leavePosting(row)
    write(rowKey(id), { state = 'due' }, { 'token' })
    waitIn(row)
  end
  local mine = redis.call('HGET', prefix .. 'posters', ask.token)
  if mine then
    -- Asked again: the first answer may have been lost.
    local row = rowOf(mine)
    return shown(row, row.attempts - 1)
  end
  local due
  for _, queue in ipairs({ 'due:new', 'due:again' }) do
    local key = prefix .. queue
    local id = redis.call('ZRANGEBYSCORE', key, '-inf', whole(now), 'LIMIT', 0, 1)[1]
    if id then
      redis.call('ZREM', key, id)
      due = id
      break
    end
  end
  if not due then
    return {}
  end
  local row = rowOf(due)
  local answer = shown(row, row.attempts)
  redis.call('ZADD', prefix .. 'posting', whole(now + ask.lease), due)
  redis.call('HSET', prefix .. 'posters', ask.token, due)
  write(rowKey(due), {
    state = 'posting', token = ask.token, attempts = whole(row.attempts + 1), takenRevision = row.revision,
  })
  return answer
end

-- When the next row is worth a look.
function steps.nextDue()
  local first
  for _, queue in ipairs({ 'due:new', 'due:again', 'posting' }) do
    local at = tonumber(redis.call('ZRANGE', prefix .. queue, 0, 0, 'WITHSCORES')[2])
    if at and (not first or at < first) then
      first = at
    end
  end
  return { first and whole(first) }
end

local function posting(ask)
  local row = rowOf(ask.id)
  return row.state == 'posting' and row.token == ask.token and row or nil
end

-- Moves the deadline of a row that this token is posting.
function steps.keepPosting(ask)
  if not posting(ask) then
    return { '0' }
  end
  redis.call('ZADD', prefix .. 'posting', whole(now + ask.lease), ask.id)
  return { '1' }
end

-- posting -> posted, or due again when it changed meanwhile.
function steps.markPosted(ask)
  local row = posting(ask)
  if not row then
    return
  end
  leavePosting(row)
  local changed = tonumber(row.revision) > tonumber(row.takenRevision)
  local set = {
    state = changed and 'due' or 'posted', posted = ask.posted, postedAt = whole(now), attempts = '0',
  }
  merge(row, set)
  if changed then
    set.dueAt = whole(spaced(row))
    row.dueAt = set.dueAt
  end
  write(rowKey(ask.id), set, { 'token' })
  if changed then
    waitIn(row)
  end
end

-- posting -> due, some time from now.
function steps.postLater(ask)
  local row = posting(ask)
  if not row then
    return
  end
  leavePosting(row)
  row.dueAt = whole(now + ask.wait)
  write(rowKey(ask.id), { state = 'due', dueAt = row.dueAt }, { 'token' })
  waitIn(row)
end

-- One winner for each change of an episode, with its announcements in the same step.
function steps.moveEpisode(ask)
  local key = prefix .. 'episode:' .. ask.name
  if redis.call('HGET', key, 'state') ~= (ask.from or false) then
    return { '0' }
  end
  write(key, { state = ask.to, details = ask.details, movedAt = whole(now) })
  for _, news in ipairs(ask.announcements) do
    announce(news)
  end
  return { '1' }
end

function steps.episode(ask)
  return redis.call('HGETALL', prefix .. 'episode:' .. ask.name)
end

-- True for the first caller of a key within its time to live.
function steps.firstTime(ask)
  local key = prefix .. 'seen:' .. ask.key
  local over = redis.call('GET', key)
  if over and tonumber(over) > now then
    return { '0' }
  end
  redis.call('SET', key, whole(now + ask.ttl), 'PX', whole(ask.ttl))
  return { '1' }
end
