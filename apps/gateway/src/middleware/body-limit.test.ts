import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readBody } from './body-limit.ts'

const DEADLINE_MS = 150
/** Says what became of each request's body. */
const outcomes: string[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const body = await readBody(request, { deadlineMs: DEADLINE_MS })
    const outcome = 'bytes' in body ? `${body.bytes.byteLength} bytes` : body.apiError.message
    outcomes.push(outcome)
    return new Response(outcome, 'apiError' in body ? { status: 400, headers: body.apiError.headers } : {})
  },
})
afterAll(() => server.stop(true))

/** Sends text and waits for the other side to close, or breaks off by itself. */
const send = (text: string, { breakOff = false } = {}) =>
  new Promise<string>((resolve) => {
    let answer = ''
    const socket = connect(server.port ?? 0, '127.0.0.1', () => {
      socket.write(text)
      if (breakOff) setTimeout(() => socket.destroy(), 30)
    })
    socket.on('data', (bytes) => {
      answer += bytes.toString()
    })
    socket.on('error', () => {}) // closed before it has sent everything
    socket.on('close', () => resolve(answer))
  })
const head = (...headers: string[]) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`

test.each([
  ['announced', `${head('Content-Length: 50')}{"userId":`],
  ['in chunks', `${head('Transfer-Encoding: chunked')}5\r\n{"use\r\n`],
  ['announced and not begun', head('Content-Length: 50')],
])('a body that does not arrive in time (%s) is rejected and its connection closed', async (_, text) => {
  const answer = await send(text)
  expect(answer).toStartWith('HTTP/1.1 400')
  expect(answer).toContain('did not arrive within')
})

test('a body that drips without long pauses has the same deadline', async () => {
  const answer = await new Promise<string>((resolve) => {
    let text = ''
    const socket = connect(server.port ?? 0, '127.0.0.1', () =>
      socket.write(head('Transfer-Encoding: chunked')),
    )
    const drip = setInterval(() => socket.writable && socket.write('1\r\nx\r\n'), 20)
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket.on('error', () => {}) // a drop on a connection that was closed under it
    socket.on('close', () => {
      clearInterval(drip)
      resolve(text)
    })
  })
  expect(answer).toContain('did not arrive within')
})

test.each([`${head('Content-Length: 50')}{`, `${head('Transfer-Encoding: chunked')}5\r\n{"use\r\n`])(
  'an incomplete body is an error, not a crash',
  async (text) => {
    outcomes.length = 0
    await send(text, { breakOff: true })
    while (outcomes.length === 0) await Bun.sleep(5)
    expect(outcomes[0]).toMatch(/broke off|did not arrive/)
  },
)

/** A body of so many chunks of so many bytes each. */
const chunked = (chunks: number, bytes: number) =>
  head('Transfer-Encoding: chunked', 'Connection: close') +
  `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(chunks) +
  '0\r\n\r\n'

test('the limit is the same for any cut, and what is chopped up is refused', async () => {
  expect(await send(chunked(400, 256))).toEndWith('102400 bytes')
  expect(await send(chunked(2, 51_200))).toEndWith('102400 bytes')
  expect(await send(chunked(1, 102_401))).toContain('larger than 102,400 bytes')
  expect(await send(chunked(500, 1))).toEndWith('500 bytes')
  expect(await send(chunked(600, 1))).toContain('too many small chunks')
})

test('two lengths in one request are rejected even when they agree', async () => {
  expect(await send(`${head('Content-Length: 2', 'Content-Length: 2')}{}`)).toContain('Content-Length')
})

test('a request without a body has zero bytes', async () => {
  outcomes.length = 0
  await send(head('Connection: close'))
  await send(head('Content-Length: 0', 'Connection: close'))
  expect(outcomes).toEqual(['0 bytes', '0 bytes'])
})
