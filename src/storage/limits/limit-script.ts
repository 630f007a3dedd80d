/**
 * The operations of a limit store in one script: each call is one atomic step. The arithmetic is the same as in memory (doubles
 * for tokens, which refill), except for money, which Redis adds as 64-bit integers and this script compares as text: doubles are
 * exact only up to nine million dollars.
 *
 * KEYS: for each set of limits its levels (hash) and its slots (sorted set), then for each budget its sums (hash), its
 * reservations (hash) and their expiry (sorted set); last, the mark of a completed step. ARGV[1]: the step, in JSON.
 */
export const limitScript = `
local step = cjson.decode(ARGV[1])
local now = step.now
if now == nil or now == cjson.null then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
-- A step is retried for a minute at most.
local MINUTE, DAY, LIMIT_TTL, DONE_TTL = 60000, 86400000, 172800000, 600000
-- The end time in a row and the one sent here may differ slightly.
local SLACK = 1000
local MONEY, HELD, LEASES = 1, 2, 3
local STANDING = 'standing:'
local huge = math.huge

local function levelsOf(index) return KEYS[index * 2 - 1] end
local function slotsOf(index) return KEYS[index * 2] end
local function money(index, part) return KEYS[#step.bounds * 2 + (index - 1) * 3 + part] end
local function number(text) if text == nil or text == cjson.null then return huge end return tonumber(text) end
local function text(value) return string.format('%.17g', value) end
-- Compares unsigned decimals.
local function atMost(a, b) return #a < #b or (#a == #b and a <= b) end

local function refilled(before, limit, elapsed, period)
  if limit == huge then return huge end
  local level = tonumber(before)
  -- A new limit starts full.
  if level == nil or level == huge then return limit end
  return math.min(limit, level + elapsed * limit / period)
end

-- The current levels of each set of limits.
local levels = {}
local function refill()
  for index, limits in ipairs(step.bounds) do
    local found = redis.call('HMGET', levelsOf(index), 'requests', 'tokens', 'day', 'at')
    local elapsed = math.max(0, now - (tonumber(found[4] or now)))
    levels[index] = {
      requests = refilled(found[1] or nil, number(limits.requests), elapsed, MINUTE),
      tokens = refilled(found[2] or nil, number(limits.tokens), elapsed, MINUTE),
      day = refilled(found[3] or nil, number(limits.day), elapsed, DAY),
    }
    redis.call('ZREMRANGEBYSCORE', slotsOf(index), '-inf', now)
  end
end

local function save()
  for index, level in ipairs(levels) do
    redis.call('HSET', levelsOf(index), 'requests', text(level.requests), 'tokens', text(level.tokens), 'day', text(level.day), 'at', text(now))
    redis.call('PEXPIRE', levelsOf(index), LIMIT_TTL)
  end
end

-- A refusal contains the index of the limits or the budget that caused it, from 1.
local function reply(refusal, index)
  local answer = { refusal, index or 0, text(now) }
  for each, level in ipairs(levels) do
    for _, value in ipairs({ text(level.requests), text(level.tokens), text(level.day), redis.call('ZCARD', slotsOf(each)) }) do
      answer[#answer + 1] = value
    end
  end
  return answer
end

-- Redis rejects '-0'.
local function subtract(index, field, amount)
  if amount ~= '0' then redis.call('HINCRBY', money(index, MONEY), field, '-' .. amount) end
end

local function release(index, event)
  local held = redis.call('HGET', money(index, HELD), event)
  if not held then return end
  redis.call('HDEL', money(index, HELD), event)
  redis.call('ZREM', money(index, LEASES), event)
  subtract(index, 'reserved', held)
  subtract(index, 'taken', held)
end

-- Reservations of requests end with their period; deferred ones continue in the next.
local function begin(index, start, finish)
  redis.call('HSET', money(index, MONEY), 'start', text(start), 'finish', text(finish), 'spent', '0', 'reserved', '0', 'taken', '0')
  local held = redis.call('HGETALL', money(index, HELD))
  for at = 1, #held, 2 do
    if string.sub(held[at], 1, #STANDING) == STANDING then
      redis.call('HINCRBY', money(index, MONEY), 'reserved', held[at + 1])
      redis.call('HINCRBY', money(index, MONEY), 'taken', held[at + 1])
    else
      redis.call('HDEL', money(index, HELD), held[at])
      redis.call('ZREM', money(index, LEASES), held[at])
    end
  end
end

-- Starts the next period if the current one has ended, and releases expired reservations. Nil for a budget that is not open,
-- false for one that another process opened with another period or time zone, whose periods differ.
local function current(index, budget)
  local found = redis.call('HMGET', money(index, MONEY), 'start', 'ready', 'kind')
  if not found[1] or found[2] ~= '1' then return nil end
  local isSame, start = found[3] == budget.kind, number(budget.start)
  if isSame and start > tonumber(found[1]) then begin(index, start, number(budget.finish)) end
  for _, event in ipairs(redis.call('ZRANGEBYSCORE', money(index, LEASES), '-inf', now)) do release(index, event) end
  return isSame
end

local function hold(index, event, cost)
  redis.call('HINCRBY', money(index, HELD), event, cost)
  redis.call('ZADD', money(index, LEASES), now + step.lease, event)
  redis.call('HINCRBY', money(index, MONEY), 'reserved', cost)
  redis.call('HINCRBY', money(index, MONEY), 'taken', cost)
end

-- Whether the step belongs to the budget's current period.
local function isOf(index)
  return step.at >= tonumber(redis.call('HGET', money(index, MONEY), 'start'))
end

-- @return the index of the first budget that the cost would exceed; nil if there is none
local function firstFull()
  if step.cost == '0' then return nil end
  for index, budget in ipairs(step.budgets) do
    redis.call('HINCRBY', money(index, MONEY), 'taken', step.cost)
    local fits = atMost(redis.call('HGET', money(index, MONEY), 'taken'), budget.amount)
    subtract(index, 'taken', step.cost)
    if not fits and isOf(index) then return index end
  end
end

local function holdAll()
  if step.cost == '0' then return end
  for index in ipairs(step.budgets) do if isOf(index) then hold(index, step.event, step.cost) end end
end

local function charge(index, cost, at)
  local found = redis.call('HMGET', money(index, MONEY), 'start', 'finish', 'counted', 'since')
  if not found[1] then return end
  -- It is in the rows that were counted, or are being counted.
  if found[3] and step.ended < tonumber(found[3]) - SLACK then return end
  -- The next period has not been started yet.
  if at >= tonumber(found[2]) then begin(index, tonumber(found[2]), huge) elseif at < tonumber(found[1]) then return end
  redis.call('HINCRBY', money(index, MONEY), 'spent', cost)
  redis.call('HINCRBY', money(index, MONEY), 'taken', cost)
  if found[4] then redis.call('HINCRBY', money(index, MONEY), 'since', cost) end
end

local steps = {}

function steps.reserve()
  refill()
  for index, budget in ipairs(step.budgets) do if not current(index, budget) then return reply('unknown', index) end end
  local full = firstFull()
  if full then return reply('budget', full) end
  for index, level in ipairs(levels) do
    if redis.call('ZCARD', slotsOf(index)) >= number(step.bounds[index].slots) then return reply('concurrency', index) end
    if level.requests < 1 then return reply('requests', index) end
    if level.day < 1 then return reply('dayRequests', index) end
    if level.tokens < step.tokens then return reply('tokens', index) end
  end
  holdAll()
  for index, level in ipairs(levels) do
    level.requests = level.requests - 1
    level.day = level.day - 1
    level.tokens = level.tokens - step.tokens
    -- Slots are counted only with a limit: a request within another already has its slot.
    if number(step.bounds[index].slots) < huge then
      redis.call('ZADD', slotsOf(index), now + step.lease, step.event)
      redis.call('PEXPIRE', slotsOf(index), LIMIT_TTL)
    end
  end
  save()
  return reply('')
end

function steps.extend()
  for index, budget in ipairs(step.budgets) do if current(index, budget) == nil then return -1 end end
  local full = firstFull()
  if full then return full end
  holdAll()
  return 0
end

-- A step that is retried because its reply was lost is already completed.
local function isDone()
  return not redis.call('SET', KEYS[#KEYS], '1', 'NX', 'PX', DONE_TTL)
end

function steps.settle()
  refill()
  if isDone() then return reply('') end
  for index, level in ipairs(levels) do
    local limit = number(step.bounds[index].tokens)
    redis.call('ZREM', slotsOf(index), step.event)
    level.tokens = math.min(limit, math.max(-limit, level.tokens + step.tokens - step.used[index]))
  end
  save()
  for index, budget in ipairs(step.budgets) do
    if budget.start ~= cjson.null then current(index, budget) end
    release(index, step.event)
    if step.cost ~= '0' then charge(index, step.cost, step.at) end
  end
  return reply('')
end

function steps.charge()
  if isDone() then return 1 end
  for index in ipairs(step.budgets) do charge(index, step.cost, step.at) end
  return 1
end

-- Several processes may send the same one, and one process larger ones, in any order: the largest counts. Its lease is long and
-- not renewed.
function steps.holdOn()
  if isDone() then return 1 end
  local event = STANDING .. step.event
  for index in ipairs(step.budgets) do
    local isOpen = redis.call('HEXISTS', money(index, MONEY), 'start') == 1
    if isOpen and not atMost(step.cost, redis.call('HGET', money(index, HELD), event) or '0') then
      release(index, event)
      hold(index, event, step.cost)
    end
  end
  return 1
end

function steps.retain()
  local kept = {}
  for _, id in ipairs(step.kept) do kept[STANDING .. id] = true end
  for index in ipairs(step.budgets) do
    for _, event in ipairs(redis.call('HKEYS', money(index, HELD))) do
      local ends = tonumber(redis.call('ZSCORE', money(index, LEASES), event) or 0)
      local isStanding = string.sub(event, 1, #STANDING) == STANDING
      if isStanding and not kept[event] and ends - step.lease < now - step.untold then release(index, event) end
    end
  end
  return 1
end

function steps.letGo()
  for index in ipairs(step.budgets) do release(index, STANDING .. step.event) end
  return 1
end

-- One process adds what was spent before; the others wait until it has, or its lease expires. An open budget remains in use
-- while it is recounted.
function steps.open()
  local budget = step.budgets[1]
  local found = redis.call('HMGET', money(1, MONEY), 'kind', 'ready', 'loading', 'loader', 'start')
  local isSame = found[1] == budget.kind
  local isOpen = isSame and found[2] == '1'
  if isOpen and not step.anew then return 'ready' end
  -- A process that loads it again failed before: it loads it once at a time.
  if isSame and found[3] and now < tonumber(found[3]) and found[4] ~= step.process then return 'wait' end
  if isOpen then
    current(1, budget)
  elseif not isSame or number(budget.start) > tonumber(found[5]) then
    -- Otherwise it was not counted to the end, and processes hold in it again what was lost.
    begin(1, number(budget.start), number(budget.finish))
    redis.call('HSET', money(1, MONEY), 'kind', budget.kind, 'ready', '0')
  end
  redis.call('HSET', money(1, MONEY), 'loading', text(now + step.lease), 'loader', step.process, 'counted', text(step.at), 'since', '0')
  return 'load'
end

local function endLoading() redis.call('HDEL', money(1, MONEY), 'loading', 'loader', 'since') end

function steps.add()
  local found = redis.call('HMGET', money(1, MONEY), 'start', 'finish', 'loader', 'since')
  -- The lease has expired: another process loads it.
  if found[3] ~= step.process then return 0 end
  if step.at >= tonumber(found[2]) then
    begin(1, tonumber(found[2]), huge)
    redis.call('HINCRBY', money(1, MONEY), 'spent', step.cost)
    redis.call('HINCRBY', money(1, MONEY), 'taken', step.cost)
  elseif step.at >= tonumber(found[1]) then
    -- Never less than it was: charges whose rows are not stored yet count all the same.
    local before = redis.call('HGET', money(1, MONEY), 'spent')
    redis.call('HSET', money(1, MONEY), 'spent', step.cost)
    redis.call('HINCRBY', money(1, MONEY), 'spent', found[4])
    if atMost(redis.call('HGET', money(1, MONEY), 'spent'), before) then redis.call('HSET', money(1, MONEY), 'spent', before) end
    local sums = redis.call('HMGET', money(1, MONEY), 'spent', 'reserved')
    redis.call('HSET', money(1, MONEY), 'taken', sums[1])
    redis.call('HINCRBY', money(1, MONEY), 'taken', sums[2])
  end
  redis.call('HSET', money(1, MONEY), 'ready', '1')
  endLoading()
  return 1
end

function steps.state()
  if not current(1, step.budgets[1]) then return {} end
  return redis.call('HMGET', money(1, MONEY), 'spent', 'reserved')
end

-- A budget that could not be recounted remains open for others; one that could not be counted keeps what they hold in it.
-- The reply of an addition may have been lost: then nothing is left to end.
function steps.cancelCount()
  if redis.call('HGET', money(1, MONEY), 'loader') ~= step.process then return 0 end
  endLoading()
  return 1
end

function steps.close()
  redis.call('DEL', money(1, MONEY), money(1, HELD), money(1, LEASES))
  return 1
end

-- Extends leases. Holds again what a server that restarted has lost, until it is settled. Returns 0 where a budget is not known.
function steps.renew()
  local isOpen = redis.call('EXISTS', KEYS[#KEYS]) == 0
  for index, limits in ipairs(step.bounds) do
    local has = redis.call('ZSCORE', slotsOf(index), step.event)
    if has or (isOpen and number(limits.slots) < huge) then
      redis.call('ZADD', slotsOf(index), now + step.lease, step.event)
      redis.call('PEXPIRE', slotsOf(index), LIMIT_TTL)
    end
  end
  local known = 1
  for index in ipairs(step.budgets) do
    if redis.call('HEXISTS', money(index, HELD), step.event) == 1 then
      redis.call('ZADD', money(index, LEASES), now + step.lease, step.event)
    elseif redis.call('HEXISTS', money(index, MONEY), 'start') == 0 then
      known = 0
    elseif isOpen and step.cost ~= '0' and isOf(index) then
      hold(index, step.event, step.cost)
    end
  end
  return known
end

-- Undoes a reservation whose reply did not arrive: whether it was made is not known.
function steps.cancel()
  for index in ipairs(step.bounds) do redis.call('ZREM', slotsOf(index), step.event) end
  for index in ipairs(step.budgets) do release(index, step.event) end
  return 1
end

return steps[step.op]()
`;
