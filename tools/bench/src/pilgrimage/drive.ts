import { openConnection } from '../load/connection.ts'
import { PEAK } from './peak.ts'

const CONNECTIONS = 32
const MINUTE_MS = 60_000
/** 5 km/h for half a minute, in degrees of latitude. */
const STEP_DEGREES = 0.000_375

export type Request = { method: 'GET' | 'POST'; path: string; body?: string }
export type Driven = { sent: number; tookMs: number; sentBytes: number; bodyBytes: number }
export type Driver = Awaited<ReturnType<typeof openDriver>>

const userIdOf = (n: number): string => `P${n.toString(36).padStart(7, '0')}`

/** Sends requests as fast as they are answered, over kept connections. @throws when one is refused */
export async function openDriver({ base, ca }: { base: string; ca: string }) {
  const url = new URL(base)
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => openConnection({ url, ca })),
  )
  const encoder = new TextEncoder()
  return {
    drive: async (requests: Iterator<Request, void>, status: number): Promise<Driven> => {
      const driven: Driven = { sent: 0, tookMs: 0, sentBytes: 0, bodyBytes: 0 }
      const startedMs = performance.now()
      const lane = async (connection: (typeof connections)[number]) => {
        for (let next = requests.next(); !next.done; next = requests.next()) {
          const bytes = encoder.encode(wire(url, next.value))
          const answered = await connection.send(bytes)
          if (answered.status !== status)
            throw new Error(`${next.value.path} was answered ${answered.status}, not ${status}`)
          driven.sent++
          driven.sentBytes += bytes.length
          driven.bodyBytes += answered.bytes
        }
      }
      await Promise.all(connections.map(lane))
      driven.tookMs = performance.now() - startedMs
      return driven
    },
    close: () => {
      for (const connection of connections) connection.close()
    },
  }
}

function wire(url: URL, { method, path, body }: Request): string {
  const length =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return `${method} ${url.pathname}${path} HTTP/1.1\r\nhost: ${url.host}\r\nuser-agent: pilgrimage\r\n${length}\r\n${body ?? ''}`
}

const startOf = (n: number) => ({ lat: 24.6 - (n % 1_000) / 2_000, lng: 120.7 + (n % 97) / 1_000 })

/** One minute: a sync of each participant, with the fixes of that minute. */
export function* minuteOf(
  participants: number,
  { beganMs, minute }: { beganMs: number; minute: number },
): Iterator<Request, void> {
  const { pointsPerSync } = PEAK
  for (let n = 0; n < participants; n++) {
    const { lat, lng } = startOf(n)
    const points = Array.from({ length: pointsPerSync }, (_, at) => {
      const step = minute * pointsPerSync + at
      return {
        ...{ lat: Number((lat + step * STEP_DEGREES).toFixed(6)), lng, accuracy: 8, speed: 4.8 },
        recordedAt: beganMs + (step * MINUTE_MS) / pointsPerSync + (n % 1_000),
      }
    })
    yield { method: 'POST', path: '/track/sync', body: JSON.stringify({ userId: userIdOf(n), points }) }
  }
}

/** A departure: one check-in of each participant. */
export function* departure(participants: number): Iterator<Request, void> {
  for (let n = 0; n < participants; n++) {
    const { lat, lng } = startOf(n)
    yield {
      method: 'POST',
      path: '/checkin',
      body: JSON.stringify({ userId: userIdOf(n), lat, lng, accuracy: 8 }),
    }
  }
}

/** The profile of each participant. */
export function* profiles(participants: number): Iterator<Request, void> {
  for (let n = 0; n < participants; n++) yield { method: 'GET', path: `/user/${userIdOf(n)}` }
}

/** The same path every time. */
export function* repeated(path: string, times: number): Iterator<Request, void> {
  for (let n = 0; n < times; n++) yield { method: 'GET', path }
}
