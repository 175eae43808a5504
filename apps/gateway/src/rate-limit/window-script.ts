import { defineScript } from '@palanquin/service/redis-script'
import { type CountRequest, type CountResult, FEW, SLOTS } from './counts.ts'

/**
 * Counts requests one after the other by Redis' own clock, each by all its windows or by none. A window is a
 * text of times in ms and amounts, oldest first, which is read and written once and expires with its last entry.
 * KEYS: the windows. ARGV: a JSON list, for each request the number of its claims, the time of what it gives
 * back (0: it takes), and for each claim the place of its key, amount, limit and window in ms.
 * Returns the time, and a line for each request: the first claim without room (from 1; 0: none), and for each
 * claim what is used and in how many ms the oldest entry leaves. It is empty for one claim that is alone in its
 * window, as most are: those cost one command.
 */
export const WINDOW_SCRIPT = defineScript(`
local call, floor = redis.call, math.floor
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local texts = call('MGET', unpack(KEYS))
local stampNow = string.format('%.0f', now)
local asked, reply, windows, expiries = cjson.decode(ARGV[1]), { stampNow }, {}, {}

local function windowOf(key, limit, windowMs)
  if windows[key] then return windows[key] end
  local window = { used = 0, stamps = {}, amounts = {}, windowMs = windowMs }
  window.slotMs = limit <= ${FEW} and 1 or math.ceil(windowMs / ${SLOTS})
  for stamp, amount in string.gmatch(texts[key] or '', '(%d+) (%d+)') do
    if now - stamp <= windowMs then
      window.stamps[#window.stamps + 1], window.amounts[#window.amounts + 1] = tonumber(stamp), tonumber(amount)
      window.used = window.used + amount
    end
  end
  windows[key] = window
  return window
end

local function add(window, amount)
  local stamps, amounts, last = window.stamps, window.amounts, #window.stamps
  if last == 0 or floor(stamps[last] / window.slotMs) ~= floor(now / window.slotMs) then
    last = last + 1
    amounts[last] = 0
  end
  stamps[last], amounts[last] = now, amounts[last] + amount
  window.used, window.isChanged = window.used + amount, true
end

local function giveBack(window, amount, stamp)
  for at, taken in ipairs(window.stamps) do
    if floor(taken / window.slotMs) == floor(stamp / window.slotMs) then
      local back = math.min(amount, window.amounts[at])
      window.used, window.isChanged = window.used - back, true
      window.amounts[at] = window.amounts[at] - back
      if window.amounts[at] == 0 then
        table.remove(window.stamps, at)
        table.remove(window.amounts, at)
      end
      return
    end
  end
end

local function takeAlone(key, amount, windowMs)
  texts[key] = stampNow .. ' ' .. amount
  expiries[windowMs] = expiries[windowMs] or string.format('%.0f', windowMs + 1)
  call('SET', KEYS[key], texts[key], 'PX', expiries[windowMs])
end

local function count(first, last, isBack)
  local line = { 0 }
  for place = first, isBack and 0 or last, 4 do
    local window = windowOf(asked[place], asked[place + 2], asked[place + 3])
    if line[1] == 0 and window.used + asked[place + 1] > asked[place + 2] then line[1] = (place - first) / 4 + 1 end
  end
  for place = first, last, 4 do
    local amount, windowMs = asked[place + 1], asked[place + 3]
    local window = windowOf(asked[place], asked[place + 2], windowMs)
    if isBack then giveBack(window, amount, asked[first - 1])
    elseif line[1] == 0 and amount > 0 then add(window, amount) end
    line[#line + 1] = window.used
    line[#line + 1] = math.min(windowMs, (window.stamps[1] or now) + windowMs + 1 - now)
  end
  return table.concat(line, ' ')
end

local at, ends, request = 1, #asked, 1
while at < ends do
  local first, claims, isBack = at + 2, asked[at], asked[at + 1] > 0
  local key, amount, limit = asked[first], asked[first + 1], asked[first + 2]
  at, request = first + claims * 4, request + 1
  local isEmpty = claims == 1 and not texts[key] and not windows[key]
  if isEmpty and not isBack and amount > 0 and amount <= limit then
    takeAlone(key, amount, asked[first + 3])
    reply[request] = ''
  else
    reply[request] = count(first, at - 1, isBack)
  end
end

for key, window in pairs(windows) do
  if window.used == 0 and window.isChanged then
    call('DEL', KEYS[key])
  elseif window.isChanged then
    local entries = {}
    for entry, stamp in ipairs(window.stamps) do entries[entry] = string.format('%.0f %.0f', stamp, window.amounts[entry]) end
    call('SET', KEYS[key], table.concat(entries, ' '), 'PX', window.windowMs + 1)
  end
end
return table.concat(reply, '\\n')
`)

/** What the script is given. */
export function scriptInput(requests: readonly CountRequest[]): { keys: string[]; args: string[] } {
  const places = new Map<string, number>()
  const asked: number[] = []
  for (const { claims, takenAtMs = 0 } of requests) {
    asked.push(claims.length, takenAtMs)
    for (const { key, amount, limit, windowMs } of claims) {
      const place = places.get(key) ?? places.size + 1
      places.set(key, place)
      asked.push(place, amount, limit, windowMs)
    }
  }
  return { keys: [...places.keys()], args: [JSON.stringify(asked)] }
}

/** What the script returned, for each request. */
export function readReply(text: string, requests: readonly CountRequest[]): CountResult[] {
  const [time, ...lines] = text.split('\n')
  const atMs = Number(time)
  return requests.map(({ claims }, at) => {
    const line = lines[at] ?? ''
    if (line === '')
      return {
        refused: -1,
        counts: claims.map(({ amount, windowMs }) => ({ used: amount, freeInMs: windowMs })),
        atMs,
      }
    const [refused = 0, ...figures] = line.split(' ').map(Number)
    const counts = claims.map((_, claim) => ({
      used: figures[claim * 2] ?? 0,
      freeInMs: figures[claim * 2 + 1] ?? 0,
    }))
    return { refused: refused - 1, counts, atMs }
  })
}
