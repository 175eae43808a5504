import { openConnection } from '../load/connection.ts'
import { type Request, wire } from './requests.ts'

/** Requests under way at once. */
export const CONNECTIONS = 32

export type Driven = { sent: number; tookMs: number; sentBytes: number; bodyBytes: number }
export type Driver = Awaited<ReturnType<typeof openDriver>>

/** Sends requests as fast as they are answered, over kept connections. @throws when one is refused */
export async function openDriver({ base, ca }: { base: string; ca: string }) {
  const url = new URL(base)
  const open = () => openConnection({ url, ca })
  let connections = await Promise.all(Array.from({ length: CONNECTIONS }, open))
  return {
    /** Opens again what the gateway has closed, as it does with connections that are idle for long. */
    reopen: async (): Promise<void> => {
      connections = await Promise.all(connections.map((one) => (one.isOpen() ? one : open())))
    },
    drive: async (requests: Iterator<Request, void>, status: number): Promise<Driven> => {
      const driven: Driven = { sent: 0, tookMs: 0, sentBytes: 0, bodyBytes: 0 }
      const startedMs = performance.now()
      const lane = async (connection: (typeof connections)[number]) => {
        for (let next = requests.next(); !next.done; next = requests.next()) {
          const bytes = wire(url, next.value)
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
