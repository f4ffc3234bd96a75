-- Accounts: what is known of their credits, and how often something of theirs left or came back.

local function accountKey(id)
  return prefix .. 'account:' .. id
end

-- Counts an intent or a settlement: a balance read that saw the count move was not quiet.
local function noteActivity(account)
  redis.call('HINCRBY', accountKey(account), 'activity', 1)
end

-- A figure that is lower than what stands counts at once; one that rises only where `rises`.
local function noteFigure(account, credits, rises)
  local stands = redis.call('HGET', accountKey(account), 'credits')
  if rises or not stands or tonumber(stands) >= credits then
    write(accountKey(account), { credits = whole(credits), asOf = whole(now) })
  end
end

-- Takes in what an answer says of the credits: the figure falls at once, and the anchor is carried forward.
local function noteReceipt(receipt)
  noteFigure(receipt.account, receipt.remaining, false)
  if receipt.counts then
    redis.call('HINCRBY', accountKey(receipt.account), 'receiptsSince', receipt.used)
  end
end

local function awaitsEvidence(account)
  return redis.call('EXISTS', prefix .. 'unjudged:' .. account) == 1
end

-- The account's activity as it stands; `idle`: nothing in flight and every unknown's deadline passed.
local function markRead(account)
  local nothingSending = redis.call('EXISTS', prefix .. 'sending-of:' .. account) == 0
  local doubtful = redis.call('ZCOUNT', prefix .. 'unknown-of:' .. account, '(' .. whole(now), '+inf') > 0
  return {
    activity = tonumber(redis.call('HGET', accountKey(account), 'activity') or 0),
    nothingSending = nothingSending,
    idle = nothingSending and not doubtful,
  }
end

local function anchor(account, credits)
  if not awaitsEvidence(account) then
    write(accountKey(account), { anchor = whole(credits), anchoredAt = whole(now), receiptsSince = '0' })
  end
end

function steps.account(ask)
  return redis.call('HGETALL', accountKey(ask.id))
end

-- The known credits, and the messages of the account that are in flight since before this attempt.
function steps.funds(ask)
  local own = refOf(ask.send, ask.index)
  local taken = tonumber(redis.call('HGET', chunkKey(ask.send, ask.index), 'deadline') or 0)
  local messages = 0
  for _, ref in ipairs(redis.call('SMEMBERS', prefix .. 'sending-of:' .. ask.account)) do
    local id, index = readRef(ref)
    local size, deadline = unpack(redis.call('HMGET', chunkKey(id, index), 'size', 'deadline'))
    if ref ~= own and tonumber(deadline) <= taken then
      messages = messages + size
    end
  end
  return { redis.call('HGET', accountKey(ask.account), 'credits') or '', whole(messages) }
end

function steps.markRead(ask)
  local mark = markRead(ask.account)
  return { whole(mark.activity), mark.nothingSending and '1' or '0', mark.idle and '1' or '0' }
end

-- Takes a balance read in: a rise, and an anchor, only where the account was quiet during it.
function steps.recordBalance(ask)
  local after = markRead(ask.account)
  local settled = ask.nothingSending and after.activity == ask.activity
  local quiet = settled and ask.idle and after.idle
  noteFigure(ask.account, ask.credits, settled)
  if quiet then
    anchor(ask.account, ask.credits)
  end
  return { quiet and '1' or '0', redis.call('HGETALL', accountKey(ask.account)) }
end

-- The account and its unknown chunks without evidence.
function steps.evidenceCase(ask)
  local unknowns = {}
  for i, ref in ipairs(redis.call('ZRANGE', prefix .. 'unjudged:' .. ask.account, 0, -1)) do
    local id, index = readRef(ref)
    unknowns[i] = { id, whole(index), redis.call('HGETALL', chunkKey(id, index)) }
  end
  return { redis.call('HGETALL', accountKey(ask.account)), unknowns }
end

function steps.accountsWithUnknowns()
  return redis.call('SMEMBERS', prefix .. 'unjudged')
end
