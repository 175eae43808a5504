import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@palanquin/service/log'
import { finalFlush } from './final-flush.ts'

const folder = mkdtempSync(join(tmpdir(), 'palanquin-flush-'))
const log = createLog({ service: 'test', level: 'silent' })
const received: { path: string; token: string | null; requestId: string | null; method: string }[] = []
let response = () => new Response('{}')
const fetch = (request: Request) => {
  const { headers, method } = request
  received.push({
    path: new URL(request.url).pathname,
    token: headers.get('x-internal-token'),
    requestId: headers.get('x-request-id'),
    method,
  })
  return response()
}
const socket = join(folder, 's')
const servers = [Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }), Bun.serve({ unix: socket, fetch })]
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop(true)))
  rmSync(folder, { recursive: true })
})

const flushAt = (trackingUrl: string, deadlineMs = 60_000) =>
  finalFlush({ trackingUrl, internalToken: 'token', log, deadlineMs })('request-1')

test('tracking is called over its port or its Unix socket, with the internal token and the request id', async () => {
  expect(await flushAt(`http://127.0.0.1:${servers[0]?.port}`)).toBe(true)
  expect(await flushAt(`unix:${socket}`)).toBe(true)
  const call = { path: '/internal/flush', token: 'token', requestId: 'request-1', method: 'POST' }
  expect(received).toEqual([call, call])
})

test('an error, a redirect, a timeout and an unreachable copy count as a failed flush', async () => {
  for (const status of [302, 401, 503]) {
    response = () => new Response(null, { status, headers: { location: 'http://127.0.0.1/' } })
    expect(await flushAt(`unix:${socket}`)).toBe(false)
  }
  const { promise, resolve } = Promise.withResolvers<Response>()
  const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => promise })
  expect(await flushAt(`http://127.0.0.1:${silent.port}`, 50)).toBe(false)
  resolve(new Response())
  await silent.stop(true)
  expect(await flushAt(`http://127.0.0.1:${silent.port}`)).toBe(false)
})

test('every copy is called, and one unreachable copy fails the flush, because it may have check-ins', async () => {
  response = () => new Response('{}')
  received.length = 0
  const [port, unix] = [`http://127.0.0.1:${servers[0]?.port}`, `unix:${socket}`]
  expect(await flushAt(`${port}, ${unix}`)).toBe(true)
  expect(received).toHaveLength(2)
  expect(await flushAt(`${port},unix:${folder}/missing`)).toBe(false)
  let calls = 0
  response = () => new Response('{}', { status: calls++ === 0 ? 200 : 503 })
  expect(await flushAt(`${port},${unix}`)).toBe(false)
})

test('a name stands for all its machines; one that does not resolve fails the flush', async () => {
  response = () => new Response('{}')
  expect(await flushAt('http://missing.invalid:80')).toBe(false)
})
