import { expect, describe as group, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { json } from '../test/gateway.ts'
import { rawCallUntilClosed } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const deployment = useGateway({ env: { RATE_LIMITS: 'off' } })

const read = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const checkin = (userId: string) => {
  const body = JSON.stringify({ userId, lat: 24, lng: 120 })
  return `POST /api/event/checkin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
const answersIn = (text: string) => text.match(/HTTP\/1\.1 \d{3}/g) ?? []

/** docs/operations.md, "Behind a proxy", says what follows from it. */
group('requests sent before the previous response', () => {
  test.each([
    ['two reads', read('/api/event/user/U1') + read('/api/event/user/U2')],
    ['two check-ins', checkin('U1') + checkin('U2')],
    ['a check-in and a read', checkin('U1') + read('/api/event/user/U1')],
    ['a read and a check-in', read('/api/event/user/U1') + checkin('U1')],
  ])('close the connection, and no response is without its effect: %s', async (_, bytes) => {
    const answer = await rawCallUntilClosed(deployment.gateway.port, bytes)
    expect(answer.closed).toBe(true)
    expect(answersIn(answer.text).length).toBeLessThanOrEqual(deployment.calls().length)
    // What a client does then: each again, by itself.
    expect(
      (await deployment.gateway.call('/api/event/checkin', json({ userId: 'U1', lat: 24, lng: 120 }))).status,
    ).toBe(200)
  })

  test('close it as well while the first is still in progress', async () => {
    const pending = Promise.withResolvers<Response>()
    deployment.services.engagement.replyWith(() => pending.promise)
    const arrived = () => until(() => deployment.calls().length === 1, { what: 'the first has arrived' })
    const answer = await rawCallUntilClosed(
      deployment.gateway.port,
      read('/api/event/user/U1'),
      arrived,
      read('/api/event/user/U2'),
      async () => {
        setTimeout(() => pending.resolve(Response.json({ ok: true })), 100)
      },
    )
    expect(answer.closed).toBe(true)
    expect(answersIn(answer.text).length).toBeLessThanOrEqual(1)
    expect(deployment.calls()).toHaveLength(1)
  })
})
