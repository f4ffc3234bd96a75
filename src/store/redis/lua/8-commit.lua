-- The two halves of every other step: what a decision needs, and what it came to, if nothing moved in between.

local function load(ask)
  local sends, chunks = {}, {}
  for i, id in ipairs(ask.sends) do
    sends[i] = redis.call('HGETALL', sendKey(id))
  end
  for i, ref in ipairs(ask.chunks) do
    local key = chunkKey(ref.send, ref.index)
    local own = redis.call('HGETALL', key)
    local root = redis.call('HGET', key, 'root')
    chunks[i] = { own, root and redis.call('HGETALL', chunkKey(ref.send, root)) or {} }
  end
  local rests = ask.token and restOf(laneOf(ask.token)) and 'rests' or ''
  return { whole(now), sends, chunks, rests }
end

steps.load = load

-- The first of these by their time, with their sends' versions: what was overdue then may be another attempt by now.
local function overdueIn(key, limit)
  local found = {}
  for i, ref in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', whole(now), 'LIMIT', 0, limit)) do
    local id, index = readRef(ref)
    found[i] = { id, whole(index), redis.call('HGET', sendKey(id), 'v') }
  end
  return found
end

-- What nobody owns any more: attempts and single sends past their time, drafts past theirs, and expired drafts that are
-- to forget.
function steps.overdue(ask)
  return {
    overdueIn(prefix .. 'sending', ask.limit),
    overdueIn(prefix .. 'stale', ask.limit),
    redis.call('ZRANGEBYSCORE', prefix .. 'drafts', '-inf', whole(now), 'LIMIT', 0, ask.limit),
    redis.call('ZRANGEBYSCORE', prefix .. 'expired', '-inf', whole(now - ask.expiredFor), 'LIMIT', 0, ask.limit),
  }
end

function steps.draftsOf(ask)
  return redis.call('SMEMBERS', prefix .. 'drafts-of:' .. ask.team .. '/' .. ask.place)
end

local apply = {}

function apply.send(change)
  changeSend(change.id, change.set, change.gone)
end

function apply.chunk(change)
  if change.messages then
    change.set.messages = blob(change.messages)
  end
  changeChunk(change.id, change.index, change.set, change.gone)
end

function apply.cancelPending(change)
  cancelPending(change.id)
end

function apply.dropDraft(change)
  dropDraft(change.id)
end

function apply.giveUpAt(change)
  giveUpAt(change.id, change.at)
end

function apply.endPermit(change)
  endPermit(change.token, change.lasts)
end

function apply.rest(change)
  local over = restFor(change.token, change.ms)
  if over then
    excuseWait(change.instance, over, change.staleAfter, change.longestWait)
  end
end

function apply.activity(change)
  noteActivity(change.account)
end

function apply.receipt(change)
  noteReceipt(change)
end

function apply.announce(change)
  announce(change.news)
end

function apply.anchor(change)
  anchor(change.account, change.credits)
end

-- Whether a plan's times are still right, and its sends and its key as they were.
local function stands(ask)
  if math.abs(now - ask.at) > ask.fresh or (ask.before and now >= ask.before) then
    return false
  end
  local key = ask.key
  if key and (restOf(laneOf(key.token)) ~= nil) ~= key.rests then
    return false
  end
  for _, guard in ipairs(ask.versions) do
    if (sendOf(guard.id).v or '') ~= guard.v then
      return false
    end
  end
  return true
end

function steps.commit(ask)
  if not stands(ask) then
    return { 'conflict', load(ask.reread) }
  end
  if ask.quiet then
    local mark = markRead(ask.quiet.account)
    if not mark.idle or mark.activity ~= ask.quiet.activity then
      return { 'moved' }
    end
  end
  for _, change in ipairs(ask.changes) do
    apply[change.kind](change)
  end
  finish()
  return { 'done' }
end
