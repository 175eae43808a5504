import { expect, describe as group, test } from 'bun:test'
import { INTERNAL_TOKEN, TOKENS } from '../test/gateway.ts'
import { rawCall } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off', PUBLIC_HOSTS: 'walk.example' } })

group('headers to a service', () => {
  test('are forwarded by an allowlist, whatever a client sends', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-internal-token': 'forged',
      'x-internal-tier': '3',
      'x-internal-client': '1.2.3.4',
      'x-internal-anything': 'x',
      'x-internal-arrived-at': '1',
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'for=1.2.3.4',
      'x-real-ip': '1.2.3.4',
      'proxy-authorization': 'Basic eA==',
      cookie: 'a=b',
      'x-nominated': 'x',
      te: 'trailers',
      'x-admin-token': TOKENS.owner,
      authorization: 'Bearer x',
      'x-request-id': 'kept-1',
    }
    await deployment.gateway.call('/api/event/privacy', { method: 'POST', body: '{"userId":"U1"}', headers })
    const [call] = deployment.services.engagement.calls
    const {
      host,
      connection,
      accept,
      'user-agent': agent,
      'content-length': length,
      ...rest
    } = Object.fromEntries(call?.headers ?? [])
    expect(rest).toEqual({
      'content-type': 'application/json',
      'x-internal-token': INTERNAL_TOKEN,
      'x-internal-tier': '0',
      'x-internal-client': '127.0.0.1',
      // As the client called this service; it is one of `PUBLIC_HOSTS`.
      'x-internal-host': new URL(deployment.gateway.url).host,
      // Epoch ms: the gateway's own clock, whatever the client says.
      'x-internal-arrived-at': expect.stringMatching(/^\d{13}$/),
      'x-request-id': 'kept-1',
    })
    expect({ host, connection, accept, length }).toEqual({
      host: 'service.internal',
      connection: 'keep-alive',
      accept: '*/*',
      length: '15',
    })
    expect(agent).toStartWith('Bun/')
  })

  test('a header named by Connection is not forwarded', async () => {
    await rawCall(
      deployment.gateway.port,
      'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nConnection: x-nominated\r\nX-Nominated: x\r\nAccept: text/a\r\n\r\n',
    )
    expect(deployment.services.map.calls[0]?.headers.get('x-nominated')).toBeNull()
    expect(deployment.services.map.calls[0]?.headers.get('accept')).toBe('text/a')
  })

  test('other headers of a service are not passed on', async () => {
    deployment.services.map.replyWith(() =>
      Response.json(
        { ok: true },
        {
          headers: {
            'set-cookie': 'a=b',
            server: 'x',
            'x-secret': 'y',
            etag: '"e"',
            location: 'http://evil.example/',
          },
        },
      ),
    )
    const { headers } = await deployment.gateway.call('/api/event/data')
    for (const name of ['set-cookie', 'server', 'x-secret', 'location']) expect(headers.has(name)).toBe(false)
    expect(headers.get('etag')).toBe('"e"')
  })

  test('a redirect of a service is not followed', async () => {
    deployment.services.map.replyWith(() => Response.redirect('http://127.0.0.1:1/', 302))
    const answer = await deployment.gateway.call('/api/event/data')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, null])
  })
})
