import type { ActivityStatus } from '@palanquin/domain/activity'
import type { Probe } from '@palanquin/service/probe'
import { Elysia } from 'elysia'

export type Health = {
  database: () => Promise<Probe>
  redis: () => Promise<Probe>
  /** The latest known status; null before the first. */
  activity: () => ActivityStatus | null
}

const word = (probe: Probe): 'ok' | 'error' => (probe.ok ? 'ok' : 'error')

/** The part of this service in the gateway's `/health`; always 200, within the probes' half second. */
export const healthRoutes = ({ database, redis, activity }: Health) =>
  new Elysia({ name: 'health' }).get(
    '/internal/health',
    async () => {
      const [d1, kv] = await Promise.all([database(), redis()])
      return { d1: word(d1), kv: word(kv), activity: activity() }
    },
    { detail: { hide: true } },
  )
