import { Nullable } from '@palanquin/domain/optional'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { type ServiceClient, serviceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'
import { PROBLEMS, type Problem } from './decide.ts'

/** Contract section 6. */
const FLUSH_AGE_MS_MAX = 30 * 60_000
/** A service checks its stores within half a second. */
const DEADLINE_MS = 2_000
/** Services start within 45 s on a busy machine; until then one that never answered may be starting. */
const START_MS_MAX = 60_000

/** As `GET /health` names the stores: d1 is PostgreSQL, kv is Redis, r2 is the object store. */
const Health = Type.Object({
  d1: Type.Optional(Type.String()),
  kv: Type.Optional(Type.String()),
  r2: Type.Optional(Type.String()),
  flush: Type.Optional(Type.String()),
  activity: Type.Optional(Type.String()),
  lastFlush: Type.Optional(Nullable(Type.String())),
})
type Health = Static<typeof Health>

/** The present problems; null while there is none and services are still starting. Never rejects. */
export function healthReader({
  addresses,
  internalToken,
  pingRedis,
  now,
  deadlineMs = DEADLINE_MS,
}: {
  /** `http://host:port` or `unix:/path`, several copies by comma. */
  addresses: Record<'tracking' | 'engagement' | 'media', string>
  internalToken: string
  pingRedis: () => Promise<boolean>
  now: () => number
  deadlineMs?: number | undefined
}): () => Promise<Problem[] | null> {
  const startedMs = now()
  let lastFlushMs: number | null = null
  const reader = (name: keyof typeof addresses) =>
    readHealthOf(serviceClient({ name, to: addresses[name], internalToken }), deadlineMs)
  const [readTracking, readEngagement, readMedia] = [
    reader('tracking'),
    reader('engagement'),
    reader('media'),
  ]
  const seen = new Set<string>()
  const isStarting = (answers: Record<string, Health | undefined>): boolean => {
    for (const [name, answer] of Object.entries(answers)) if (answer) seen.add(name)
    return now() - startedMs < START_MS_MAX && Object.keys(answers).some((name) => !seen.has(name))
  }
  return async () => {
    const [tracking, engagement, media, isRedisUp] = await Promise.all([
      readTracking(),
      readEngagement(),
      readMedia(),
      pingRedis(),
    ])
    if (tracking?.lastFlush) lastFlushMs = Date.parse(tracking.lastFlush)
    const starting = isStarting({ tracking, engagement, media })
    const relational = tracking ?? engagement
    const flushAgeMs = now() - (lastFlushMs ?? startedMs)
    const isProblem: Record<Problem, boolean> = {
      d1: relational ? relational.d1 !== 'ok' : !starting,
      kv: !isRedisUp || tracking?.kv === 'error' || engagement?.kv === 'error',
      r2: media ? media.r2 !== 'ok' : !starting,
      flush:
        engagement?.activity === 'active' && (flushAgeMs > FLUSH_AGE_MS_MAX || hasNeverFlushed(tracking)),
    }
    const problems = PROBLEMS.filter((problem) => isProblem[problem])
    return problems.length === 0 && starting ? null : problems
  }
}

/** Points wait since two schedules (contract 8.34), and no flush has ever worked. */
const hasNeverFlushed = (tracking: Health | undefined): boolean =>
  tracking?.flush === 'overdue' && tracking.lastFlush === null

/** A service's own report; undefined while it is not up, which is what the report is for. */
const readHealthOf = (client: ServiceClient, deadlineMs: number) => async (): Promise<Health | undefined> => {
  try {
    const call = { path: '/internal/health', requestId: 'alerts', deadlineMs } as const
    const reply = await client.call({ ...call, reply: Health })
    return reply.ok ? reply.data : undefined
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}
