import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import fc from 'fast-check'
import type { Address } from '../address.ts'
import { Exchange } from './exchange.ts'
import { ReplyReader } from './reply-reader.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const DEADLINE = { deadlineMs: TEST_TIMEOUT_MS }
const POST = { method: 'POST', target: '/internal/batch', headers: { 'x-token': 't' }, body: 'ab媽祖' }
const textOf = (body: ArrayBuffer) => new TextDecoder().decode(body)

/** A socket file in a folder that is removed afterwards. */
function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exchange-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  return join(folder, 'service.sock')
}
const unixAddress = (unix: string): Address => ({ origin: 'http://service.internal', init: { unix } })

/** A service on a Unix socket that counts the connections by which it was called. */
function service(answer: (request: Request) => Response | Promise<Response>, unix = socketPath()) {
  const server = Bun.serve({ unix, fetch: answer })
  closing.push(() => server.stop(true))
  return { server, unix, exchange: new Exchange(unixAddress(unix)) }
}

type Raw = { received: string; write: (text: string) => void; end: () => void }
/** One that writes what it likes; `onRequest` is called once for each piece that arrives. */
function raw(onBytes: (connection: Raw) => void) {
  const unix = socketPath()
  let opened = 0
  const listener = Bun.listen<Raw>({
    unix,
    socket: {
      open: (socket) => {
        opened++
        const write = (text: string) => void socket.write(text)
        socket.data = { received: '', write, end: () => socket.end() }
      },
      data: ({ data }, bytes) => {
        data.received += bytes.toString('latin1')
        onBytes(data)
      },
    },
  })
  closing.push(() => listener.stop(true))
  return { exchange: new Exchange(unixAddress(unix)), opened: () => opened }
}
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

test('a call arrives as it was sent, over a Unix socket and over TCP, and its reply comes back whole', async () => {
  const answer = async (request: Request) => {
    const said = `${request.method} ${new URL(request.url).pathname} ${request.headers.get('x-token')}`
    return new Response(`${said} ${await request.text()}`, { status: 202, headers: { 'x-said': 'yes' } })
  }
  const tcp = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  closing.push(() => tcp.stop(true))
  const overTcp = new Exchange({ origin: `http://127.0.0.1:${tcp.port}`, init: {} })
  for (const exchange of [service(answer).exchange, overTcp])
    for (let turn = 0; turn < 3; turn++) {
      const reply = await exchange.send(POST, DEADLINE)
      if (typeof reply === 'string') throw new Error(reply)
      expect([reply.status, reply.headers.get('x-said'), reply.closes]).toEqual([202, 'yes', false])
      expect(textOf(reply.body)).toBe('POST /internal/batch t ab媽祖')
    }
})

test('a request and a reply of megabytes arrive whole, many at a time', async () => {
  const { exchange } = service(async (request) => new Response(await request.text()))
  const bodies = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(1_500_000))
  const replies = await Promise.all(bodies.map((body) => exchange.send({ ...POST, body }, DEADLINE)))
  expect(replies.map((reply) => typeof reply !== 'string' && textOf(reply.body))).toEqual(bodies)
})

test('a connection carries one call after the other, and one call at a time', async () => {
  let underWay = 0
  const { exchange, opened } = raw(async (connection) => {
    expect(++underWay).toBe(1)
    await Promise.resolve()
    underWay--
    connection.write(OK)
  })
  for (let turn = 0; turn < 5; turn++)
    expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200 })
  expect(opened()).toBe(1)
})

test('a copy that is not there has seen nothing: unopened, and it is called once it is there', async () => {
  const unix = socketPath()
  const exchange = new Exchange(unixAddress(unix))
  expect(await exchange.send(POST, DEADLINE)).toBe('unopened')
  const refused = new Exchange({ origin: 'http://127.0.0.1:1', init: {} })
  expect(await refused.send(POST, DEADLINE)).toBe('unopened')
  service(() => new Response('back'), unix)
  expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200 })
})

test('a copy that restarts between two calls is called over a new connection', async () => {
  const { server, unix, exchange } = service(() => new Response('before'))
  expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200 })
  await server.stop(true)
  if (existsSync(unix)) rmSync(unix)
  service(() => new Response('after'), unix)
  // Until its end has arrived, the old connection breaks.
  await until(async () => typeof (await exchange.send(POST, DEADLINE)) !== 'string', { what: 'a reply' })
})

test('no reply in time is late, and that connection carries no further call', async () => {
  let calls = 0
  const { exchange, opened } = raw((connection) => {
    if (++calls > 1) connection.write(OK)
  })
  expect(await exchange.send(POST, { deadlineMs: 20 })).toBe('late')
  expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200 })
  expect(opened()).toBe(2)
})

test('a copy that says it closes is not called over that connection again', async () => {
  const { exchange, opened } = raw(({ write }) =>
    write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  )
  for (let turn = 0; turn < 2; turn++)
    expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200, closes: true })
  expect(opened()).toBe(2)
})

describe('broken: the copy may have seen it, and no later call is given the rest', () => {
  const BROKEN: Record<string, string> = {
    'the connection ends within the head': 'HTTP/1.1 200 OK\r\ncontent-le',
    'the connection ends within the body': 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf',
    'no length is said': 'HTTP/1.1 200 OK\r\n\r\nbody',
    'the body comes in chunks': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'two lengths are said': 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
    'more comes than was said': `${OK}HTTP/1.1 200 OK\r\n`,
    'it is no HTTP': 'nonsense\r\n\r\n',
    'the body is too large': 'HTTP/1.1 200 OK\r\ncontent-length: 16777217\r\n\r\n',
    'the head never ends': 'HTTP/1.1 200 OK\r\nx: '.padEnd(20_000, 'x'),
  }
  for (const [title, text] of Object.entries(BROKEN))
    test(title, async () => {
      let calls = 0
      const { exchange, opened } = raw((connection) => {
        connection.write(++calls === 1 ? text : OK)
        if (calls === 1) connection.end()
      })
      expect(await exchange.send(POST, DEADLINE)).toBe('broken')
      expect(await exchange.send(POST, DEADLINE)).toMatchObject({ status: 200 })
      expect(opened()).toBe(2)
    })
})

test('a reply is the same however it is cut into pieces', () => {
  const body = Buffer.from('媽祖'.repeat(50))
  const whole = Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ])
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length), { maxLength: 20 }), (cuts) => {
      const reader = new ReplyReader({ bodyBytesMax: 1_000 })
      const ends = [...cuts.toSorted((a, b) => a - b), whole.length]
      const said = ends.map((end, at) => reader.add(whole.subarray(ends[at - 1] ?? 0, end)))
      const reply = said.find((one) => one !== undefined)
      expect(reply).toMatchObject({ status: 200, closes: false })
      if (typeof reply === 'object') expect(Buffer.from(reply.body).equals(body)).toBe(true)
    }),
    { seed: 20261126, numRuns: 300 },
  )
})

test('a header that would begin another line is refused before anything is sent', () => {
  const { exchange, opened } = raw(({ write }) => write(OK))
  const headers = { 'x-token': 'a\r\nx-internal-tier: 3' }
  expect(() => exchange.send({ ...POST, headers }, DEADLINE)).toThrow(TypeError)
  expect(opened()).toBe(0)
})
