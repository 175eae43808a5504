import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Problem } from './decide.ts'

/** Contract section 6. */
const FLUSH_AGE_MS_MAX = 30 * 60_000
/** A service looks at its stores within half a second. */
const DEADLINE_MS = 2_000
/** The services start side by side; on a busy machine the last took 45 s. Until then one that was never heard is coming. */
const START_MS_MAX = 60_000

type Fields = Readonly<Record<string, unknown>>
type Addresses = Record<'tracking' | 'engagement' | 'media', string>

/**
 * What is wrong with the house right now: the stores as `GET /health` judges them, and the flush. Null when nothing is, as
 * far as those tell that are up, and the house is still starting. Never rejects.
 */
export function healthReader({
  addresses,
  internalToken,
  pingRedis,
  now,
}: {
  /** `http://host:port` or `unix:/path`, several copies by comma. */
  addresses: Addresses
  internalToken: string
  pingRedis: () => Promise<boolean>
  now: () => number
}): () => Promise<Problem[] | null> {
  const startedMs = now()
  let lastFlushMs: number | null = null
  const ask = askWith(internalToken)
  const heard = new Set<string>()
  const isStarting = (answers: Record<string, Fields | undefined>): boolean => {
    for (const [name, answer] of Object.entries(answers)) if (answer) heard.add(name)
    return now() - startedMs < START_MS_MAX && Object.keys(answers).some((name) => !heard.has(name))
  }
  return async () => {
    const [gps, people, pictures, redis] = await Promise.all([
      ask(addresses.tracking),
      ask(addresses.engagement),
      ask(addresses.media),
      pingRedis(),
    ])
    if (typeof gps?.lastFlush === 'string') lastFlushMs = Date.parse(gps.lastFlush)
    const starting = isStarting({ gps, people, pictures })
    const relational = gps ?? people
    const isOverdue = people?.activity === 'active' && now() - (lastFlushMs ?? startedMs) > FLUSH_AGE_MS_MAX
    const problems: Record<Problem, boolean> = {
      d1: relational ? relational.d1 !== 'ok' : !starting,
      kv: !redis || gps?.kv === 'error' || people?.kv === 'error',
      r2: pictures ? pictures.r2 !== 'ok' : !starting,
      flush: isOverdue,
    }
    const all: Problem[] = ['d1', 'kv', 'r2', 'flush']
    const found = all.filter((problem) => problems[problem])
    return found.length === 0 && starting ? null : found
  }
}

/** The answer's object, or the `data` of `{ok, data}`; undefined when there is none in time. */
const askWith =
  (internalToken: string) =>
  async (address: string): Promise<Fields | undefined> => {
    try {
      const answer = await anyCopy(address)('/internal/health', {
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: 'alerts' },
        signal: AbortSignal.timeout(DEADLINE_MS),
      })
      const value = fieldsOf(await answer.json())
      return answer.ok ? (fieldsOf(value?.data) ?? value) : undefined
    } catch {
      return undefined // no answer is an answer here
    }
  }

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
