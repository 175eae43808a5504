import { afterAll, beforeAll, expect, describe as group, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createHttpApp, ok } from './app.ts'
import { type Addresses, listen } from './listen.ts'

const TOKEN = 'the-internal-token-of-this-test'
let folder: string
let http: ReturnType<typeof listen>
let port: number
let isWell = true

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'probes-'))
  const readyFile = join(folder, 'ready.json')
  const app = createHttpApp({
    service: 'test',
    internalToken: TOKEN,
    log: createLog({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
    readiness: async () => ({ database: { ok: isWell } }),
  })
    .get('/secret', () => ok({}))
    .post('/taken', async ({ body }) => ok(body))
  http = listen({ app, host: '127.0.0.1', port: 0, readyFile })
  await http.start?.()
  const ready: Addresses = JSON.parse(readFileSync(readyFile, 'utf8'))
  port = Number(new URL(ready.url).port)
})
afterAll(async () => {
  await http.stop?.()
  rmSync(folder, { recursive: true, force: true })
})

/** The answer to a request as it is written here; the connection closes behind it. */
function ask(...lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}`))
    socket.on('data', (bytes) => {
      text += bytes.toString()
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
      if (/^HEAD/.test(lines[0] ?? '') || body.length >= length) socket.destroy()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}
const statusOf = async (...lines: string[]) => Number((await ask(...lines, '', '')).split(' ')[1])

group('what load balancers send to an internal port', () => {
  const HOSTS = {
    'without a Host': (request: string) => [`${request} HTTP/1.0`],
    'with an empty Host': (request: string) => [`${request} HTTP/1.1`, 'Host: '],
    'with a Host of one letter': (request: string) => [`${request} HTTP/1.0`, 'Host: a'],
    'with a Host of three letters': (request: string) => [`${request} HTTP/1.1`, 'Host: abc'],
    'with a short Host and its port': (request: string) => [`${request} HTTP/1.1`, 'Host: a:80'],
    'with the usual Host': (request: string) => [`${request} HTTP/1.1`, 'Host: tracking.internal'],
  }
  test.each(Object.entries(HOSTS))('is answered %s', async (_, written) => {
    isWell = true
    for (const path of ['/health', '/ready', '/live', '/metrics'])
      for (const method of ['GET', 'HEAD'])
        expect([method, path, await statusOf(...written(`${method} ${path}`))]).toEqual([method, path, 200])
    isWell = false
    for (const path of ['/health', '/ready'])
      expect([path, await statusOf(...written(`GET ${path}`))]).toEqual([path, 503])
    for (const path of ['/secret', '/', '/ready/../secret', '//ready', '/nothing'])
      expect([path, await statusOf(...written(`GET ${path}`))]).toEqual([path, 401])
  })

  test('a call with the token is routed whatever its Host, with its body', async () => {
    const body = JSON.stringify({ userId: 'U1' })
    const head = [
      `X-Internal-Token: ${TOKEN}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    for (const first of [['POST /taken HTTP/1.0'], ['POST /taken HTTP/1.1', 'Host: abc']])
      expect(await ask(...first, ...head, '', body)).toContain('{"ok":true,"data":{"userId":"U1"}}')
  })

  test('other methods there are 405 and say which to use, OPTIONS among them', async () => {
    for (const method of ['OPTIONS', 'POST', 'PUT', 'DELETE'])
      for (const path of ['/health', '/ready', '/live', '/metrics']) {
        const answer = await ask(`${method} ${path} HTTP/1.1`, 'Host: abc', 'Content-Length: 0', '', '')
        expect([method, path, answer.split(' ')[1]]).toEqual([method, path, '405'])
        expect(answer.toLowerCase()).toContain('\r\nallow: get, head\r\n')
      }
    expect(await statusOf('OPTIONS /secret HTTP/1.1', 'Host: abc')).toBe(401)
  })
})
