import { withDeadline } from '@palanquin/service/deadline'
import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import { defineScript, runScript } from '@palanquin/service/redis-script'
import { EPOCH_KEY, REDIS_DEADLINE_MS, STREAM_KEY, TRIMMED_KEY } from './stream.ts'

const BEGINNING = '0-0'

/** Where a reader stands. `epoch` changes when Redis was emptied; null while nothing was published. */
export type Position = { entryId: string; epoch: string | null }

/** Why entries behind a position may be missing. */
export type Loss = 'emptied' | 'trimmed'

/** A position in the stream, and whether entries were lost: Redis was emptied or is older, or we were away. */
export function streamPosition({ redis, from, log }: { redis: Redis; from: string; log: Log }) {
  let position: Position | undefined
  /** The trim that the reader knows of. */
  let trimmed = ''
  return {
    look: async (): Promise<{ position: Position; lost: Loss | undefined }> => {
      const now = await stateOf(redis)
      if (!position && from === '0') trimmed = now.trimmed // all that is still there: no more was requested
      position ??= { entryId: startOf(from, now.lastId), epoch: now.epoch }
      const otherEpoch = position.epoch !== null && now.epoch !== position.epoch
      const emptied = otherEpoch || isBefore(now.lastId, position.entryId)
      const outrun = now.trimmed !== trimmed && now.trimmed !== '' && isBefore(position.entryId, now.trimmed)
      if (emptied) {
        log.error(
          { event: 'stream.events_lost', was: position.entryId, is: now.lastId },
          'Redis lost events that were published (it came back empty, or older)',
        )
        position.entryId = BEGINNING
      } else if (outrun) {
        log.warn(
          { event: 'follower.outrun', was: position.entryId, trimmed: now.trimmed },
          'A follower was away for longer than the bus keeps events; it reads its view again',
        )
      }
      trimmed = now.trimmed
      position.epoch = now.epoch
      if (emptied) return { position, lost: 'emptied' }
      return { position, lost: outrun ? 'trimmed' : undefined }
    },
  }
}

function startOf(from: string, lastId: string): string {
  if (from === '$') return lastId
  return from === '0' ? BEGINNING : from
}

/** Read-only, so that a process which may only read the bus can follow it. */
const STATE_SCRIPT = defineScript(
  `
local last = '0-0'
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = info[i + 1] end end
end
return { last, redis.call('GET', KEYS[2]) or '', redis.call('GET', KEYS[3]) or '' }
`,
  { readOnly: true },
)

async function stateOf(redis: Redis): Promise<{ lastId: string; epoch: string | null; trimmed: string }> {
  const answer = await withDeadline(
    runScript(redis, STATE_SCRIPT, { keys: [STREAM_KEY, EPOCH_KEY, TRIMMED_KEY], args: [] }),
    { what: 'Redis', deadlineMs: REDIS_DEADLINE_MS },
  )
  const [lastId, epoch, trimmed] = Array.isArray(answer) ? answer.map(String) : []
  return { lastId: lastId ?? BEGINNING, epoch: epoch || null, trimmed: trimmed ?? '' }
}

/** Stream ids are `<milliseconds>-<number>`, both of 64 bits. */
function isBefore(one: string, other: string): boolean {
  const [ms = 0n, number = 0n] = one.split('-').map(BigInt)
  const [otherMs = 0n, otherNumber = 0n] = other.split('-').map(BigInt)
  return ms < otherMs || (ms === otherMs && number < otherNumber)
}
