import { expect, describe as group, test } from 'bun:test'
import noHosts from '../test/corpus/hosts.json'
import noPaths from '../test/corpus/paths.json'
import { rawCall } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off', PUBLIC_HOSTS: 'walk.example' } })
const get = (path: string, host = 'localhost') =>
  rawCall(deployment.gateway.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

group('hosts', () => {
  test.each(['walk.example', 'WALK.example:8443', 'localhost', '127.0.0.1:1', '[::1]'])(
    '%s is served',
    async (host) => {
      expect((await get('/api/event/data', host)).status).toBe(200)
    },
  )

  test.each(noHosts)('%p is 400, and no service is called', async (host) => {
    // A short host once moved the router's idea of the path: an admin path behind it must stay shut.
    for (const path of ['/api/event/data', '/admin/status', '/api/event/admin/status', '/health'])
      expect((await get(path, host)).status).toBe(400)
    expect(deployment.calls()).toEqual([])
  })

  test('a second Host header, or none, is 400', async () => {
    const doubled = 'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n'
    expect((await rawCall(deployment.gateway.port, doubled)).status).toBe(400)
    expect((await rawCall(deployment.gateway.port, 'GET /api/event/data HTTP/1.1\r\n\r\n')).status).toBe(400)
    expect((await rawCall(deployment.gateway.port, 'GET /api/event/data HTTP/1.0\r\n\r\n')).status).toBe(400)
    expect(deployment.calls()).toEqual([])
  })

  test('a host in the request line reaches no other host', async () => {
    await get('http://evil.example/api/event/data')
    for (const call of deployment.calls()) expect(call.headers.get('host')).toBe('service.internal')
  })
})

group('paths', () => {
  test.each(noPaths)('%s is 404 and reaches no service', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('"error":"There is nothing at this path."')
    expect(deployment.calls()).toEqual([])
  })

  test('a parameter is decoded once', async () => {
    expect((await get('/api/event/user/%55%31')).status).toBe(200)
    expect(deployment.calls()[0]?.target).toBe('/user/U1')
  })
})
