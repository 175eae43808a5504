import { afterEach, beforeEach } from 'bun:test'
import { killChildren } from './child.ts'
import { type Service, type Stores, stores, tracking, untilFlushed } from './harness.ts'

const HOUR_AGO = Date.now() - 3_600_000

/** Stores of its own for every test of a file, since each test breaks them; call it at the file's top. */
export function faultHarness() {
  let current: Stores | undefined
  const harness = {
    get given(): Stores {
      if (!current) throw new Error('the stores are there within a test')
      return current
    },
    cleanUp: [] as (() => Promise<unknown>)[],
    start: async (env = {}, { redisIsAway = false } = {}): Promise<Service> => {
      const service = await tracking(harness.given, { env, redisIsAway })
      harness.cleanUp.push(service.close)
      return service
    },
    /** How many points PostgreSQL holds after a whole flush. */
    flushed: async (service: Service): Promise<number> => {
      await untilFlushed(service)
      const [{ n = 0 } = {}] = await harness.given.sql<{ n: number }[]>`
        SELECT count(*)::int AS n FROM tracking.points`
      return n
    },
  }
  beforeEach(async () => {
    current = await stores()
  })
  afterEach(async () => {
    await killChildren()
    for (const work of harness.cleanUp.splice(0).reverse()) await work()
    await harness.given.close()
  })
  return harness
}

/** A participant's i-th check-in, always the same one. */
export const checkin = (service: Service, userId: string, i = 0) =>
  service.post('/checkin', { userId, lat: 24 + i / 1000, lng: 120.6, recordedAt: HOUR_AGO + i * 60_000 })

export const sync = (service: Service, userId: string, count = 1) =>
  service.post('/track/sync', {
    userId,
    points: Array.from({ length: count }, (_, i) => ({
      lat: 24,
      lng: 120,
      recordedAt: Date.now() - i * 1000,
    })),
  })
