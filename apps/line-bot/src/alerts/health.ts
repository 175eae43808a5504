import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Problem } from './decide.ts'

/** Contract section 6. */
const FLUSH_AGE_MS_MAX = 30 * 60_000
/** A service looks at its stores within half a second. */
const DEADLINE_MS = 2_000

type Fields = Readonly<Record<string, unknown>>
type Addresses = Record<'tracking' | 'engagement' | 'media', string>

/** What is wrong with the house right now: the stores as `GET /health` judges them, and the flush. Never rejects. */
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
}): () => Promise<Problem[]> {
  const startedMs = now()
  let lastFlushMs: number | null = null
  const ask = askWith(internalToken)
  return async () => {
    const [gps, people, pictures, redis] = await Promise.all([
      ask(addresses.tracking),
      ask(addresses.engagement),
      ask(addresses.media),
      pingRedis(),
    ])
    if (typeof gps?.lastFlush === 'string') lastFlushMs = Date.parse(gps.lastFlush)
    const isOverdue = people?.activity === 'active' && now() - (lastFlushMs ?? startedMs) > FLUSH_AGE_MS_MAX
    const problems: Record<Problem, boolean> = {
      d1: (gps ?? people)?.d1 !== 'ok',
      kv: !redis || gps?.kv === 'error' || people?.kv === 'error',
      r2: pictures?.r2 !== 'ok',
      flush: isOverdue,
    }
    const all: Problem[] = ['d1', 'kv', 'r2', 'flush']
    return all.filter((problem) => problems[problem])
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
