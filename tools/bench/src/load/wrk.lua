-- Requests for wrk: each of a participant of its own, or of some devices by turns, or all the same, until the time or the number is over. Then
-- every connection waits for its last answer, so that what was sent is what was answered; the end is reported by a file,
-- upon which wrk.ts interrupts wrk.
-- wrk -t 1 -s wrk.lua URL -- PLAN: PLAN is a Lua file that returns a table (load/wrk.ts writes it).

local ffi = require('ffi')
local bit = require('bit')
ffi.cdef [[
  struct palanquin_time { long seconds; long micros; };
  int gettimeofday(struct palanquin_time *time, void *zone);
]]
local time = ffi.new('struct palanquin_time')
local threads = {}

local function micros()
  ffi.C.gettimeofday(time, nil)
  return tonumber(time.seconds) * 1e6 + tonumber(time.micros)
end

-- splitmix64, as `userIdOf` of requests.ts
local function half(n, seed)
  local z = (n + 1) * seed
  z = bit.bxor(z, bit.rshift(z, 30)) * 0xbf58476d1ce4e5b9ULL
  z = bit.bxor(z, bit.rshift(z, 27)) * 0x94d049bb133111ebULL
  return bit.tohex(bit.bxor(z, bit.rshift(z, 31)))
end

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  plan = dofile(args[1])
  result_file = plan.result
  sent, held, began, ended = 0, 0, 0, 0
  is_checked = false
end

-- A template is the pieces of a request between which the id or the time stands; one piece: neither is in it.
local function text(n)
  local template = plan.templates[n % #plan.templates + 1]
  if #template == 1 then return template[1] end
  -- A template for each device: every time that all had their turn, a second later.
  if plan.first_s then
    return template[1] .. string.format('%d', plan.first_s + math.floor(n / #plan.templates)) .. template[2]
  end
  local id = 'U' .. half(ffi.cast('uint64_t', n), 0x9e3779b97f4a7c15ULL) .. half(ffi.cast('uint64_t', n), 0xd1b54a32d192ed03ULL)
  return template[1] .. id .. template[2]
end

function request()
  -- wrk asks once to see whether it is HTTP, and does not send that.
  if not is_checked then
    is_checked = true
    return text(plan.first)
  end
  local now = micros()
  if began == 0 then began = now end
  if now - began < plan.for_us and sent < plan.requests then
    sent = sent + 1
    return text(plan.first + sent - 1)
  end
  -- The beginning of a request holds the connection: it gets no response, and no other is sent over it.
  -- A connection that breaks is opened again and counted again, and reported as broken.
  held = held + 1
  if held == plan.connections then
    ended = now
    assert(io.open(plan.ended_file, 'w')):close()
  end
  return 'G'
end

function done(summary, latency)
  local thread, errors = threads[1], summary.errors
  local file = assert(io.open(thread:get('result_file'), 'w'))
  file:write(string.format(
    '{"sent":%d,"answered":%d,"bytes":%d,"lastedMs":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"broken":%d,"refused":%d}',
    thread:get('sent'), summary.requests, summary.bytes, (thread:get('ended') - thread:get('began')) / 1e3,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write, errors.status))
  file:close()
end
