import { expect, test } from 'bun:test'
import { load } from './load.ts'

/** Counts what arrives, as a service would; every third answer comes in chunks. */
function server({ failAt = Number.POSITIVE_INFINITY } = {}) {
  const bodies: string[] = []
  const listening = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const body = await request.text()
      bodies.push(body)
      if (bodies.length >= failAt) return new Response('no', { status: 503 })
      if (bodies.length % 3 > 0) return new Response('yes', { status: 202 })
      const pieces = new ReadableStream({
        start: (controller) => {
          controller.enqueue('ye')
          controller.enqueue('s')
          controller.close()
        },
      })
      return new Response(pieces, { status: 202 })
    },
  })
  return { bodies, url: `http://127.0.0.1:${listening.port}/`, stop: () => listening.stop(true) }
}

const PLAN = { kind: 'checkin', connections: 4, forMs: 60_000, requests: 60, first: 0 } as const

test('a load sends each request once, of a walker of its own, and counts each answer', async () => {
  const { bodies, url, stop } = server()
  try {
    const result = await load({ ...PLAN, url }, 202)
    expect(result).toMatchObject({ sent: 60, statuses: { 202: 60 } })
    expect(result.perSecond).toBeGreaterThan(0)
    const users = bodies.map((body) => (JSON.parse(body) as { userId: string }).userId)
    expect(new Set(users).size).toBe(60)
  } finally {
    await stop()
  }
})

test('one answer of another status makes the load fail', async () => {
  const { url, stop } = server({ failAt: 60 })
  try {
    await expect(load({ ...PLAN, url }, 202)).rejects.toThrow('"503":1')
  } finally {
    await stop()
  }
})
