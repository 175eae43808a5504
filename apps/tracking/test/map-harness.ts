import { afterAll, beforeAll, expect } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { type MapProcess, mapOf, type Service, type Stores, stores, tracking } from './harness.ts'

/** The headers of a caller who sees hidden participants. */
export const MANAGER = { 'x-internal-tier': '2' }

/** A position as `GET /data` gives it. */
export type MapPoint = {
  id: string
  userId?: string
  lat: number
  lng: number
  recordedAt: string
  level: number | null
  displayName?: string
}
export type MapData = {
  points: MapPoint[]
  removed?: string[]
  reset?: true
  cursor: string
  total: number
}

/** Stores, tracking and two map processes for all tests of a file; call it at the file's top. */
export function mapHarness({
  prepare = async () => {},
}: {
  prepare?: (given: Stores) => Promise<void>
} = {}) {
  let lastAt = 0
  let current: { given: Stores; service: Service; map: MapProcess; other: MapProcess } | undefined
  const opened = () => {
    if (!current) throw new Error('the harness is open within a test')
    return current
  }
  beforeAll(async () => {
    const given = await stores()
    await prepare(given)
    const service = await tracking(given)
    const [map, other] = [await mapOf(given), await mapOf(given)]
    current = { given, service, map, other }
    await Promise.all([untilLoaded(map), untilLoaded(other)])
  })
  afterAll(async () => {
    const { given, service, map, other } = opened()
    await Promise.all([service.close(), map.close(), other.close()])
    await given.close()
  })

  const data = async (query = '', { from = opened().map, headers = {} } = {}): Promise<MapData> => {
    const response = await from.get(`/data${query}`, headers)
    expect(response.status).toBe(200)
    return response.body.data as MapData
  }
  return {
    opened,
    data,
    /** Each at a time of its own: two of a participant in one millisecond are one point. */
    checkin: (userId: string, lat: number, lng = 120.6, more = {}) => {
      lastAt = Math.max(Date.now(), lastAt + 1)
      return opened().service.post('/checkin', { userId, lat, lng, recordedAt: lastAt, ...more })
    },
    /** Waits for a point at a latitude on a map. */
    pointAt: (lat: number, from = opened().map) =>
      until(async () => (await data('', { from })).points.find((point) => point.lat === lat), {
        what: `a point at ${lat} on the map`,
      }),
    addParticipants: async (...userIds: string[]) => {
      for (const userId of userIds)
        await opened().given
          .sql`INSERT INTO engagement.participants (user_id, consent) VALUES (${userId}, true)`
    },
    /** A map process that starts now, once it is loaded. */
    startMap: async (): Promise<MapProcess> => {
      const map = await mapOf(opened().given)
      await untilLoaded(map)
      return map
    },
  }
}

const untilLoaded = (map: MapProcess) =>
  until(async () => (await map.get('/data')).status === 200, { what: 'the map is loaded' })
