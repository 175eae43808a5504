import { withDeadline } from '@palanquin/service/deadline'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Redis } from '@palanquin/service/redis'
import { HANDLER_DEADLINE_MS } from './delivery.ts'
import { releaseLease, takeLease } from './lease.ts'
import { attemptsKey, DEAD_KEY, leaseKey, REDIS_DEADLINE_MS, STREAM_KEY } from './stream.ts'
import { withoutParticipant } from './without-participant.ts'

/** Entries that one call looks through: Redis does nothing else meanwhile. */
const PAGE_ENTRIES_MIN = 10
const PAGE_ENTRIES_MAX = 1_000
const PAGE_MS_MIN = 4
const PAGE_MS_MAX = 12
/** A relay that was killed holds its lease for 2 s. */
const LEASE_WAIT_MS = 5_000
const LEASE_MS = 1_000
const LOOK_MS = 20

/** The entries of a page in which the text stands, and where the next page begins ('' at the end). */
const FIND_SCRIPT = `
local page = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
local found = {}
for _, entry in ipairs(page) do
  for at = 1, #entry[2], 2 do
    if string.find(entry[2][at + 1], ARGV[3], 1, true) then found[#found + 1] = entry break end
  end
end
return { #page == tonumber(ARGV[2]) and '(' .. page[#page][1] or '', found }
`

/** Takes an entry out; what is left of it goes to the end for groups that have not finished it. */
const REPLACE_SCRIPT = `
if redis.call('XDEL', KEYS[1], ARGV[1]) == 0 then return {} end
local ms, sequence = string.match(ARGV[1], '^(%d+)-(%d+)$')
local inHand, wanted = {}, ARGV[2] == 'always'
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local info = {}
  for at = 1, #group, 2 do info[group[at]] = group[at + 1] end
  local lastMs, lastSequence = string.match(info['last-delivered-id'], '^(%d+)-(%d+)$')
  if tonumber(lastMs) < tonumber(ms) or (tonumber(lastMs) == tonumber(ms) and tonumber(lastSequence) < tonumber(sequence)) then
    wanted = true
  end
  if #redis.call('XPENDING', KEYS[1], info.name, ARGV[1], ARGV[1], 1) > 0 then
    wanted = true
    inHand[#inHand + 1] = info.name
  end
end
if wanted and #ARGV > 2 then redis.call('XADD', KEYS[1], '*', unpack(ARGV, 3)) end
return inHand
`

const RELEASE_SCRIPT = `
redis.call('HDEL', KEYS[2], ARGV[2], 'died:' .. ARGV[2])
return redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
`

type Found = { entryId: string; fields: Record<string, string> }
type InHand = { group: string; entryId: string }

/** Takes a participant out of stream and dead letters, after the outboxes. @returns the entries @throws StoreUnavailable */
export async function forgetOnBus(
  redis: Redis,
  { userId, schemas, until }: { userId: string; schemas: readonly string[]; until?: string | undefined },
): Promise<number> {
  try {
    for (const schema of schemas) await passRelay(redis, schema)
    const events = await forgetIn(redis, STREAM_KEY, { userId, until })
    await handedBack(redis, events.inHand)
    const letters = await forgetIn(redis, DEAD_KEY, { userId, until })
    return events.entries + letters.entries
  } catch (error) {
    throw error instanceof TypeError ? error : new StoreUnavailable('event bus', error)
  }
}

/** Holds the relay's lease: a relay that had read rows before can no longer publish them. */
async function passRelay(redis: Redis, schema: string): Promise<void> {
  const deadline = performance.now() + LEASE_WAIT_MS
  for (;;) {
    const lease = await takeLease(redis, { key: leaseKey(schema), durationMs: LEASE_MS })
    if (lease) return releaseLease(redis, lease)
    if (performance.now() > deadline) throw new Error(`the relay of ${schema} does not let go of its lease`)
    await Bun.sleep(LOOK_MS)
  }
}

async function forgetIn(
  redis: Redis,
  key: string,
  { userId, until }: { userId: string; until: string | undefined },
): Promise<{ entries: number; inHand: InHand[] }> {
  const inHand: InHand[] = []
  let entries = 0
  for await (const { entryId, fields } of entriesWith(redis, key, userId)) {
    if (until !== undefined && (fields.at ?? '') > until) continue
    const rest = remainderOf(fields, userId)
    if (rest === 'untouched') continue
    const when = key === DEAD_KEY ? 'always' : 'unfinished'
    const args = [entryId, when, ...(rest ? Object.entries(rest).flat() : [])]
    const groups = await soon(redis.eval(REPLACE_SCRIPT, { keys: [key], arguments: args }))
    for (const group of Array.isArray(groups) ? groups : []) inHand.push({ group: String(group), entryId })
    entries++
  }
  return { entries, inHand }
}

/** The fields of an entry without the participant; null when nothing is left of it. */
function remainderOf(
  fields: Record<string, string>,
  userId: string,
): Record<string, string> | null | 'untouched' {
  let data: unknown
  try {
    data = JSON.parse(fields.data ?? '')
  } catch {
    return null // no event at all, and it names them
  }
  const rest = withoutParticipant(fields.type ?? '', data, userId)
  if (rest === 'nothing') return null
  // What a handler said when it failed may quote the event.
  const error = fields.error?.includes(`"${userId}"`) ? { error: 'erased' } : {}
  if (rest === 'untouched') return 'error' in error ? { ...fields, ...error } : 'untouched'
  return { ...fields, ...error, data: JSON.stringify(rest.data) }
}

async function* entriesWith(redis: Redis, key: string, userId: string): AsyncGenerator<Found> {
  let start = '-'
  let entries = PAGE_ENTRIES_MIN
  while (start !== '') {
    const args = [start, String(entries), `"${userId}"`]
    const begun = performance.now()
    const reply = await soon(redis.eval(FIND_SCRIPT, { keys: [key], arguments: args }))
    entries = nextPage(entries, performance.now() - begun)
    const [next, found]: unknown[] = Array.isArray(reply) ? reply : []
    for (const entry of Array.isArray(found) ? found : []) yield foundOf(entry)
    start = String(next ?? '')
  }
}

function nextPage(entries: number, tookMs: number): number {
  if (tookMs < PAGE_MS_MIN) return Math.min(entries * 2, PAGE_ENTRIES_MAX)
  return tookMs > PAGE_MS_MAX ? Math.max(Math.floor(entries / 2), PAGE_ENTRIES_MIN) : entries
}

function foundOf(entry: unknown): Found {
  const [entryId, flat]: unknown[] = Array.isArray(entry) ? entry : []
  const texts = (Array.isArray(flat) ? flat : []).map(String)
  const fields: Record<string, string> = {}
  for (let at = 0; at + 1 < texts.length; at += 2) fields[texts[at] ?? ''] = texts[at + 1] ?? ''
  return { entryId: String(entryId), fields }
}

/** Waits until the consumers that handle these entries are done, or were killed. */
async function handedBack(redis: Redis, inHand: readonly InHand[]): Promise<void> {
  const deadline = performance.now() + HANDLER_DEADLINE_MS
  for (const { group, entryId } of inHand) {
    while (performance.now() < deadline && (await isPending(redis, group, entryId))) await Bun.sleep(LOOK_MS)
    const keys = [STREAM_KEY, attemptsKey(group)]
    await soon(redis.eval(RELEASE_SCRIPT, { keys, arguments: [group, entryId] }))
  }
}

async function isPending(redis: Redis, group: string, entryId: string): Promise<boolean> {
  return (await soon(redis.xPendingRange(STREAM_KEY, group, entryId, entryId, 1))).length > 0
}

const soon = <T>(work: Promise<T>): Promise<T> =>
  withDeadline(work, { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS })
