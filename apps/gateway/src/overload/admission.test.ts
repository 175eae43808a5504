import { expect, describe as group, test } from 'bun:test'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Priority } from '../route.ts'
import { ROUTES } from '../routes.ts'
import { Admission, BOUNDS } from './admission.ts'

const forEver = () => new Promise<string>(() => {})
const atOnce = async () => 'done'

function filled(requests: number, lagMs = 0): Admission {
  const admission = new Admission({ lagMs })
  for (let i = 0; i < requests; i++) void admission.admit('critical', forEver)
  return admission
}
const lets = async (admission: Admission): Promise<Record<Priority, boolean>> => {
  const in_ = async (kind: Priority) => (await admission.admit(kind, atOnce)) === 'done'
  return { low: await in_('low'), normal: await in_('normal'), critical: await in_('critical') }
}

group('too many requests', () => {
  test('are shed in order: cards and exports, the rest, check-ins', async () => {
    expect(await lets(filled(BOUNDS.low.requestsMax - 1))).toEqual({
      low: true,
      normal: true,
      critical: true,
    })
    expect(await lets(filled(BOUNDS.low.requestsMax))).toEqual({ low: false, normal: true, critical: true })
    expect(await lets(filled(BOUNDS.normal.requestsMax))).toEqual({
      low: false,
      normal: false,
      critical: true,
    })
    expect(await lets(filled(BOUNDS.critical.requestsMax))).toEqual({
      low: false,
      normal: false,
      critical: false,
    })
  })

  test('are rejected at once, with 503 and a Retry-After that spreads their return', async () => {
    const admission = filled(BOUNDS.critical.requestsMax)
    const waits = new Set<string | undefined>()
    for (let i = 0; i < 10; i++) {
      const apiError = await admission.admit('critical', atOnce)
      if (!(apiError instanceof ApiError)) throw new Error('it was let in')
      expect(apiError.code).toBe('unavailable')
      waits.add(apiError.headers['retry-after'])
    }
    expect([...waits].sort()).toEqual(['1', '2', '3'])
    expect(admission.shed.critical).toBe(10)
  })

  test('free their places, also when they end in a bug', async () => {
    const admission = new Admission({ lagMs: 0 })
    for (let i = 0; i < BOUNDS.critical.requestsMax * 2; i++)
      await admission.admit('critical', () => Promise.reject(new Error('a bug'))).catch(() => {})
    expect(admission.requests).toBe(0)
    expect(await lets(admission)).toEqual({ low: true, normal: true, critical: true })
  })
})

group('a loop that lags', () => {
  test('sheds in the same order', async () => {
    expect(await lets(filled(100, 101))).toEqual({ low: false, normal: true, critical: true })
    expect(await lets(filled(100, 301))).toEqual({ low: false, normal: false, critical: true })
    expect(await lets(filled(100, 701))).toEqual({ low: false, normal: false, critical: false })
  })

  test('sheds nothing with few requests in progress, which cannot be the cause', async () => {
    expect(await lets(filled(10, 5_000))).toEqual({ low: true, normal: true, critical: true })
  })
})

test('check-ins, syncs, the webhook and steering the activity are shed last; images and exports first', () => {
  const of = (kind: Priority) =>
    ROUTES.filter(({ priority }) => priority === kind)
      .map(({ method, path }) => `${method} ${path}`)
      .sort()
  expect(of('critical')).toEqual([
    'GET /admin/status',
    'POST /admin/end-activity',
    'POST /checkin',
    'POST /track/sync',
    'POST /webhook',
    'PUT /admin/status',
  ])
  expect(of('low')).toEqual([
    'GET /admin/carbon',
    'GET /admin/clusters',
    'GET /admin/surveys',
    'GET /admin/timeline',
    'GET /admin/users',
    'GET /admin/users/{userId}/track',
    'GET /c/{shareId}.png',
    'GET /og/{userId}.png',
    'GET /user/{userId}/export',
    'GET /user/{userId}/track',
    'POST /feedback-upload',
    'POST /og-image',
    'POST /upload/import',
  ])
})
