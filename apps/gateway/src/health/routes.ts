import { withDeadline } from '@palanquin/service/deadline'
import type { Redis } from '@palanquin/service/redis'
import type { LocalRoute } from '../local-route.ts'
import type { ServiceClients } from '../proxy/client.ts'
import { plainJson } from '../response.ts'
import { healthReader } from './health.ts'
import { type Readiness, readinessReader, withoutDetails } from './ready.ts'

const PING_DEADLINE_MS = 500

/** `/health` and `/ready` for the public, and the readiness with its details for the internal port. */
export function healthRoutes({
  clients,
  redis,
  deadlineMs,
}: {
  clients: ServiceClients
  redis: Redis
  /** For tests: of each service's answer and Redis' too. */
  deadlineMs?: number | undefined
}): {
  routes: LocalRoute[]
  readiness: () => Promise<Readiness>
} {
  const pingRedis = () => isAnswering(redis, deadlineMs)
  const health = healthReader({ clients, pingRedis, deadlineMs })
  const readiness = readinessReader({ clients, pingRedis, deadlineMs })
  const ready = async () => {
    const state = withoutDetails(await readiness())
    return state.ok ? plainJson(state) : plainJson(state, 503, { 'retry-after': '1' })
  }
  const routes = [
    { path: '/health', respond: async () => plainJson(await health()) },
    { path: '/ready', respond: ready },
  ]
  return { routes, readiness }
}

const isAnswering = (redis: Redis, deadlineMs = PING_DEADLINE_MS): Promise<boolean> =>
  withDeadline(redis.ping(), { what: 'Redis', deadlineMs }).then(
    () => true,
    () => false,
  )
