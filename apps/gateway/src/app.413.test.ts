import { expect, describe as group, test } from 'bun:test'
import { rawCall, rawCallUntilClosed } from '../test/raw-client.ts'
import { useGateway } from '../test/use-gateway.ts'

const LIMIT = 102_400

const deployment = useGateway({ env: { RATE_LIMITS: 'off' } })

/** A JSON body of exactly so many bytes. */
const bodyOf = (bytes: number): string => {
  const frame = '{"userId":"U1","note":""}'
  return frame.replace('""}', `"${'x'.repeat(bytes - frame.length)}"}`)
}
const head = (path: string, ...headers: string[]) =>
  `POST /api/event${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`
const chunks = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => chunk(text.slice(i * size, (i + 1) * size)))
const CHUNKED = 'Transfer-Encoding: chunked'
const END = '0\r\n\r\n'
const errorOf = (text: string): string => /"error":"([^"]*)"/.exec(text)?.[1] ?? ''

group.each(['/checkin', '/track/sync', '/user/sync', '/submit', '/webhook', '/feedback-upload'])(
  'POST %s',
  (path) => {
    test('102,400 bytes announced are served, 102,401 are a JSON 413', async () => {
      const post = (bytes: number) =>
        deployment.gateway.call(`/api/event${path}`, { method: 'POST', body: bodyOf(bytes) })
      expect((await post(LIMIT)).status).toBe(200)
      const answer = await post(LIMIT + 1)
      expect(answer.status).toBe(413)
      expect(await answer.json()).toMatchObject({
        error: expect.stringMatching(/^The body is larger than 102,400 bytes\./),
      })
    })

    test.each([1_000, 8_192, 200_000])('the same in chunks of %d', async (size) => {
      const fits = await rawCall(
        deployment.gateway.port,
        head(path, CHUNKED),
        ...chunks(bodyOf(LIMIT), size),
        END,
      )
      expect(fits.status).toBe(200)
      const over = await rawCall(
        deployment.gateway.port,
        head(path, CHUNKED),
        ...chunks(bodyOf(LIMIT + 1), size),
        END,
      )
      expect(over.status).toBe(413)
      expect(errorOf(over.text)).toContain('102,400')
    })
  },
)

test('the 413 of a sync advises to send fewer points, announced or in chunks; others give no advice', async () => {
  const over = await deployment.gateway.call('/api/event/track/sync', {
    method: 'POST',
    body: bodyOf(LIMIT + 1),
  })
  const sentence = 'The body is larger than 102,400 bytes. Send fewer points at a time, such as 500.'
  expect(await over.json()).toMatchObject({ error: sentence })
  const chunked = await rawCall(
    deployment.gateway.port,
    head('/track/sync', CHUNKED),
    ...chunks(bodyOf(LIMIT + 1), 8_192),
    END,
  )
  expect(errorOf(chunked.text)).toBe(sentence)
  const checkin = await deployment.gateway.call('/api/event/checkin', {
    method: 'POST',
    body: bodyOf(LIMIT + 1),
  })
  expect(await checkin.json()).toMatchObject({ error: 'The body is larger than 102,400 bytes.' })
})

test('a body that is announced too large is rejected before any of it is sent', async () => {
  for (const bytes of [LIMIT + 1, 5_000_000, 9_000_000_000])
    expect(
      (await rawCall(deployment.gateway.port, head('/checkin', `Content-Length: ${bytes}`))).status,
    ).toBe(413)
})

test('a client that goes on sending receives its 413, and the connection ends', async () => {
  for (const bytes of [200_000, 900_000, 7_000_000]) {
    const answer = await rawCall(
      deployment.gateway.port,
      head('/checkin', CHUNKED),
      ...chunks(bodyOf(bytes), 16_384),
      END,
    )
    expect(answer.status).toBe(413)
  }
  const endless = Array.from({ length: 1_200 }, () => chunk('x'.repeat(16_384)))
  expect(
    (await rawCallUntilClosed(deployment.gateway.port, head('/checkin', CHUNKED), ...endless)).closed,
  ).toBe(true)
})

test('a body is forwarded unchanged, also one in chunks', async () => {
  deployment.services.tracking.calls.length = 0
  const body = '{ "user_id":"U1",\n "lat": 1.10, "name":"媽祖" }'
  const bytes = Buffer.from(body).toString('latin1')
  await deployment.gateway.call('/api/event/checkin', { method: 'POST', body })
  await rawCall(deployment.gateway.port, head('/checkin', CHUNKED), ...chunks(bytes, 3), END)
  expect(deployment.services.tracking.calls.map((call) => call.body)).toEqual([body, body])
})

test('413 comes before 401', async () => {
  const answer = await deployment.gateway.call('/api/event/admin/status', {
    method: 'PUT',
    body: bodyOf(LIMIT + 1),
  })
  expect(answer.status).toBe(413)
})

test('a chunk extension of a mebibyte is not read to its end', async () => {
  const answer = await rawCall(
    deployment.gateway.port,
    head('/checkin', CHUNKED),
    `5;${'x'.repeat(1_048_576)}\r\nabcde\r\n`,
    END,
  )
  expect(answer.status === 200 && !answer.closed).toBe(false)
})

test('a compressed body is rejected', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const body = Bun.gzipSync('{"userId":"U1"}')
  expect(
    (await deployment.gateway.call('/api/event/checkin', { method: 'POST', headers, body })).status,
  ).toBe(400)
})
