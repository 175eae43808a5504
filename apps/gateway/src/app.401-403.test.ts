import { expect, describe as group, test } from 'bun:test'
import { ROLE_LEVEL } from '@palanquin/domain/role'
import { TAGS, TOKENS } from '../test/gateway.ts'
import { useGateway } from '../test/use-gateway.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off' } })

const CALLERS = ['anonymous', 'wrong', 'volunteer', 'manager', 'owner'] as const
type Caller = (typeof CALLERS)[number]

const tokenOf = (caller: Caller): string | undefined => {
  if (caller === 'anonymous') return undefined
  return caller === 'wrong' ? 'wrong-token-of-somebody-else-0001' : TOKENS[caller]
}

/** What the contract says of a caller on a row: by the row's words alone, not by the code that judges them. */
function expected({ tier, token, userAuth }: Route, caller: Caller): number {
  if (userAuth === 'self') return 401
  if (token === 'none') return 200
  if (token === 'feedback-token') return 401
  if (caller === 'wrong') return 401
  if (caller === 'anonymous') return token === 'optional' ? 200 : 401
  return ROLE_LEVEL[caller] >= tier ? 200 : 403
}

const LINK = TAGS.tagged('family link', 'U1')
const pathOf = ({ path, issued }: Route): string => path.replace(/\{\w+\}/g, issued ? LINK : 'U1')

/** A request that has everything but the token. */
function requestOf(route: Route, caller: Caller): [string, RequestInit] {
  const path = pathOf(route) + (route.userId === 'query' ? '?userId=U1' : '')
  const token = tokenOf(caller)
  const headers = { 'content-type': 'application/json', ...(token ? { 'x-admin-token': token } : {}) }
  const body = route.body === 'none' ? {} : { body: '{"userId":"U1"}' }
  return [`${route.atRoot ? '' : '/api/event'}${path}`, { method: route.method, headers, ...body }]
}

/** The gateway itself answers the others. */
const FORWARDED = ROUTES.filter(({ handler }) => handler === 'service')

group.each(FORWARDED.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  test.each(CALLERS)('called by %s', async (caller) => {
    const answer = await deployment.gateway.call(...requestOf(route, caller))
    const text = await answer.text()
    expect({ status: answer.status, text }).toMatchObject({ status: expected(route, caller) })
    const stub = deployment.services[route.service].calls.splice(0)
    expect(stub.length).toBe(answer.status === 200 ? 1 : 0)
    if (answer.status === 200) {
      expect(stub[0]?.method).toBe(route.method)
      expect(stub[0]?.target.split('?')[0]).toBe(pathOf(route))
      if (route.batch !== undefined) return // a batch has calls of many
      const known = route.token !== 'none' && caller in ROLE_LEVEL
      expect(stub[0]?.headers.get('x-internal-tier')).toBe(known ? String(ROLE_LEVEL[caller as never]) : '0')
    } else
      expect(JSON.parse(text)).toEqual({
        error: expect.any(String),
        requestId: answer.headers.get('x-request-id'),
      })
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

test('the table has every route of the contract, and no path and method twice', () => {
  const lines = ROUTES.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines.sort()).toEqual(
    [
      'POST /user/sync',
      'GET /user/{userId}',
      'DELETE /user/{userId}',
      'POST /user/phone',
      'POST /privacy',
      'POST /participant-status',
      'POST /submit',
      'POST /survey',
      'GET /survey',
      'POST /checkin',
      'POST /track/sync',
      'GET /data',
      'GET /data/stream',
      'GET /photos/count',
      'POST /devices',
      'GET /devices',
      'POST /devices/{id}/rotate',
      'DELETE /devices/{id}',
      ...['POST /setup-links', 'POST /setup-links/open', 'POST /setup-links/status'],
      'GET /in/gpslogger/setup/{code}.properties',
      'GET /user/{userId}/track',
      'POST /upload/photos',
      'POST /upload/import',
      'GET /import/{id}',
      'GET /photos',
      ...['POST /share', 'GET /share', 'DELETE /share', 'GET /share/{token}'],
      'GET /photos/{id}',
      'DELETE /photos/{id}',
      'GET /user/{userId}/export',
      'GET /c/{shareId}.png',
      'GET /activity',
      'POST /og-image',
      'GET /og/{userId}.png',
      'POST /feedback',
      'POST /feedback-upload',
      'GET /feedback-image/{filename}.png',
      'GET /feedback',
      'GET /feedback/status',
      'PATCH /feedback/{id}',
      ...['POST /lost', 'GET /lost/{id}', 'PATCH /lost/{id}'],
      'GET /auth/role',
      'GET /admin/status',
      'PUT /admin/status',
      'GET /admin/timeline',
      'GET /admin/clusters',
      'GET /admin/find',
      'GET /line-usage',
      'GET /admin/surveys',
      'GET /admin/carbon',
      'GET /admin/audit',
      'GET /admin/users',
      'GET /admin/users/{userId}',
      'GET /admin/users/{userId}/track',
      'GET /admin/roles',
      'POST /admin/roles',
      'POST /admin/end-activity',
      ...['POST /push', 'GET /push', 'DELETE /push/{pushId}'],
      'GET /push/{pushId}',
      'POST /admin/richmenu',
      'POST /webhook',
      // Web face, section 4
      ...['beacons', 'density', 'places', 'route', 'notices', 'consent'].map((what) => `GET /${what}`),
      'GET /beacons/{id}/trail',
      ...['beacons', 'places', 'notices', 'lost'].flatMap((what) => [
        `GET /admin/${what}`,
        `POST /admin/${what}`,
        `PATCH /admin/${what}/{id}`,
        `DELETE /admin/${what}/{id}`,
      ]),
      ...['GET', 'POST', 'PATCH', 'DELETE'].map((method) => `${method} /admin/route`),
      'POST /upload/route',
      'GET /admin/settings',
      'PATCH /admin/settings',
      // Web face, section 2
      ...['GET', 'POST', 'DELETE'].map((method) => `${method} /session`),
      'POST /session/link',
      'GET /sessions',
      'DELETE /sessions/{id}',
    ].sort(),
  )
})
