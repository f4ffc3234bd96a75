-- What a move carries over besides sends and chunks, as it stands in the store that it comes from.
function steps.import(ask)
  for _, permit in ipairs(ask.permits) do
    redis.call('ZADD', prefix .. 'lane:' .. permit.lane, permit.liveUntil, permit.token)
    redis.call('HSET', prefix .. 'permits', permit.token, permit.lane)
  end
  for _, rest in ipairs(ask.rests) do
    redis.call('ZADD', prefix .. 'rests', rest['until'], rest.lane)
  end
  for _, account in ipairs(ask.accounts) do
    write(accountKey(account.id), account.set)
  end
  for _, episode in ipairs(ask.episodes) do
    write(prefix .. 'episode:' .. episode.name, episode.set)
  end
  for _, row in ipairs(ask.rows) do
    write(rowKey(row.id), row.set)
    if row.set.state == 'due' then
      waitIn({ id = row.id, attempts = row.set.attempts, dueAt = row.set.dueAt })
    end
  end
  for _, mark in ipairs(ask.seen) do
    local lasts = tonumber(mark.over) - now
    if lasts > 0 then
      redis.call('SET', prefix .. 'seen:' .. mark.key, mark.over, 'PX', whole(lasts))
    end
  end
end
