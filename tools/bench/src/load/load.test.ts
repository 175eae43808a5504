import { describe, expect, test } from 'bun:test'
import { loadByGenerator, OWN_GENERATOR } from './load.ts'
import type { LoadPlan } from './plan.ts'
import { userIdOf } from './requests.ts'
import { loadByWrk } from './wrk.ts'
import { findWrk } from './wrk-binary.ts'

/** Counts requests like a service; every third response is chunked. */
function server({ failAt = Number.POSITIVE_INFINITY } = {}) {
  const bodies: string[] = []
  const paths: string[] = []
  const logins: string[] = []
  const listening = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const body = await request.text()
      bodies.push(body)
      logins.push(request.headers.get('authorization')?.slice('Basic '.length) ?? '')
      paths.push(new URL(request.url).pathname)
      if (bodies.length >= failAt) return new Response('no', { status: 503 })
      if (bodies.length % 3 > 0) return new Response('yes', { status: 202 })
      const chunks = new ReadableStream({
        start: (controller) => {
          controller.enqueue('ye')
          controller.enqueue('s')
          controller.close()
        },
      })
      return new Response(chunks, { status: 202 })
    },
  })
  return {
    bodies,
    paths,
    logins,
    url: `http://127.0.0.1:${listening.port}/`,
    stop: () => listening.stop(true),
  }
}

const FOREVER_MS = Number.MAX_SAFE_INTEGER
const PLAN = { kind: 'checkin', connections: 4, forMs: FOREVER_MS, requests: 60, first: 1_000 } as const
const IDS = Array.from({ length: 60 }, (_, n) => userIdOf(1_000 + n)).sort()
const userIds = (bodies: readonly string[]): string[] =>
  bodies.map((body) => (JSON.parse(body) as { userId: string }).userId).sort()

const wrk = await findWrk()
if ('problem' in wrk) console.warn(`wrk is not tested: ${wrk.problem}`)
const programs = [
  { name: OWN_GENERATOR, run: (plan: LoadPlan) => loadByGenerator(plan, 202) },
  ...('path' in wrk ? [{ name: 'wrk', run: (plan: LoadPlan) => loadByWrk(wrk, plan) }] : []),
]

describe.each(programs)('$name', ({ run }) => {
  test('sends each request once, each of another participant, and ends when all are answered', async () => {
    const { bodies, url, stop } = server()
    try {
      const result = await run({ ...PLAN, url })
      expect(result).toMatchObject({ sent: 60 })
      expect(result.perSecond).toBeGreaterThan(0)
      expect(userIds(bodies)).toEqual(IDS)
    } finally {
      await stop()
    }
  })

  test('ends when the time is over, with no request unanswered', async () => {
    const { bodies, url, stop } = server()
    try {
      const { requests: _, ...endless } = PLAN
      const { sent } = await run({ ...endless, url, forMs: 500 })
      expect(sent).toBeGreaterThan(0)
      expect(bodies).toHaveLength(sent)
    } finally {
      await stop()
    }
  })

  test('a sync has the given number of points', async () => {
    const { bodies, url, stop } = server()
    try {
      await run({ ...PLAN, url, kind: 'sync', points: 7, requests: 5 })
      const lengths = bodies.map((body) => (JSON.parse(body) as { points: unknown[] }).points.length)
      expect(lengths).toEqual([7, 7, 7, 7, 7])
    } finally {
      await stop()
    }
  })

  test('reads the profile of each participant once', async () => {
    const { paths, url, stop } = server()
    try {
      await run({ ...PLAN, url: `${url}user/`, kind: 'profile' })
      expect(paths.sort()).toEqual(IDS.map((id) => `/user/${id}`))
    } finally {
      await stop()
    }
  })

  test('devices send by turns, each with its own token, and none sends twice of the same second', async () => {
    const { bodies, logins, url, stop } = server()
    try {
      const devices = { tokens: ['one', 'two', 'three'], firstS: 1_776_000_000 }
      await run({ ...PLAN, url, kind: 'owntracks', devices, first: 3, requests: 9 })
      const fixes = bodies.map((body, i) => `${atob(logins[i] ?? '')} ${JSON.parse(body).tst}`)
      const expected = devices.tokens.flatMap((token) =>
        [1, 2, 3].map((second) => `phone:${token} ${devices.firstS + second}`),
      )
      expect(fixes.sort()).toEqual(expected.sort())
    } finally {
      await stop()
    }
  })

  test('fails at the first error response', async () => {
    const { url, stop } = server({ failAt: 60 })
    try {
      await expect(run({ ...PLAN, url })).rejects.toThrow(url)
    } finally {
      await stop()
    }
  })
})

test('ids are distinct, look like LINE’s, and stay the same', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => userIdOf(n))
  expect(new Set(ids).size).toBe(10_000)
  for (const id of ids.slice(0, 100)) expect(id).toMatch(/^U[0-9a-f]{32}$/)
})
