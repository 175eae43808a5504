import { expect, describe as group, test } from 'bun:test'
import attacks from '../test/corpus/smuggling.json'
import { rawCall, rawCallUntilClosed } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off', PUBLIC_HOSTS: 'walk.example' } })

group('request smuggling', () => {
  const HIDDEN = 'GET /api/event/data HTTP/1.1\r\nHost: localhost\r\n\r\n'
  test.each(attacks.map(({ attack, bytes }) => [attack, bytes] as const))(
    '%s is 400, closes the connection, and nothing behind it is served',
    async (_, bytes) => {
      const answer = await rawCallUntilClosed(deployment.gateway.port, bytes)
      expect(answer.status).toBe(400)
      expect(answer.closed).toBe(true)
      expect(answer.text.match(/HTTP\/1\.1 2/g)).toBeNull()
      expect(deployment.calls()).toEqual([])
    },
  )

  test('a body on a GET is not the next request', async () => {
    const answer = await rawCall(
      deployment.gateway.port,
      `GET /api/event/data HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
    )
    expect(answer.text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(deployment.calls()).toHaveLength(1)
  })

  test('plain HTTP on the TLS port is not served', async () => {
    await expect(fetch(`http://localhost:${deployment.gateway.port}/health`)).rejects.toThrow()
  })
})
