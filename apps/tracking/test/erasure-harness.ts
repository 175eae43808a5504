import { expect } from 'bun:test'
import type { EventData } from '@palanquin/domain/events'
import { shardOf } from '@palanquin/domain/ids'
import { searchFiles, searchPostgres, searchRedis } from '@palanquin/testing/search'
import { until } from '@palanquin/testing/until'
import { type Service, type Stores, untilTaken } from './harness.ts'

/** Erases somebody as engagement does, from the tombstone to its end: what is sent afterwards is a new participant's. */
export async function eraseAt({ post }: Pick<Service, 'post'>, userId: string) {
  const { status, body } = await untilTaken(() => post('/internal/erase', { userId }))
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  const { erased, closedUntil } = body.data as { erased: Record<string, number>; closedUntil: number }
  const end = await untilTaken(() => post('/internal/erase/end', { userId, closedUntil }))
  const { event } = end.body.data as { event: EventData<'participant.erased'> }
  await until(() => Date.now() > Date.parse(event.at), { what: 'the end of the erasure' })
  return { erased, event }
}

const MINUTE_MS = 60_000

/** Searches everywhere that this service writes to; the bus is engagement's to clear. */
export const storeSearch = (given: Stores) => async (text: string) => [
  ...(await searchPostgres(given.sql, [text])),
  ...(await searchRedis(given.redisServer.url, [text])).filter(
    (place) => !place.startsWith('key {ev}:events'),
  ),
  ...searchFiles(given.folder, [text]),
]

/** A walk that began two hours ago, a point a minute, north from a latitude of its own. */
export function walk(lat: number, minutes = 60) {
  const startMs = Math.floor(Date.now() / MINUTE_MS - 120) * MINUTE_MS
  return Array.from({ length: minutes }, (_, minute) => ({
    lat: lat + minute * 0.0006,
    lng: 120.6,
    recordedAt: startMs + minute * MINUTE_MS,
  }))
}

/** Somebody of the same shard, so that they share the stream, the hours and the cells. */
export function otherOfShard(userId: string): string {
  for (let at = 0; ; at++) if (shardOf(`other-${at}`) === shardOf(userId)) return `other-${at}`
}

/** What timelines and clusters are read from, and the tracks of all others, rounded: sums are floating point. */
export async function figuresWithout(given: Stores, userId: string): Promise<unknown> {
  const { sql } = given
  const figures = {
    hours: [...(await sql`SELECT * FROM tracking.hours ORDER BY hour, shard`)],
    days: [...(await sql`SELECT * FROM tracking.days ORDER BY day, shard`)],
    cells: [...(await sql`SELECT * FROM tracking.cells ORDER BY lat_cell, lng_cell, shard`)],
    tracks: [
      ...(await sql`SELECT user_id, walked_km, motorized_km, points, checkins FROM tracking.tracks
        WHERE user_id <> ${userId} ORDER BY user_id`),
    ],
  }
  return JSON.parse(JSON.stringify(figures), (_, value) =>
    typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  )
}
