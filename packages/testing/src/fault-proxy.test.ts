import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FaultProxy, faultProxy } from './fault-proxy.ts'
import { until } from './until.ts'

/** A server that answers every piece of data with the same in capitals. */
let target: Server
let serverReceived: string[]
let proxy: FaultProxy
beforeEach(async () => {
  serverReceived = []
  target = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (bytes) => {
      serverReceived.push(String(bytes))
      socket.write(String(bytes).toUpperCase())
    })
    socket.on('end', () => socket.end('BYE'))
    socket.on('error', () => {})
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  target.listen(0, '127.0.0.1', resolve)
  await promise
  const address = target.address()
  proxy = await faultProxy(`tcp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
})
afterEach(async () => {
  await proxy.close()
  target.close()
})

/** A connection through the proxy: what it has received so far, and how it ended. */
function dial() {
  const socket = connect({ port: proxy.port, host: '127.0.0.1' })
  const line = { socket, received: '', error: '', closed: false }
  socket.on('data', (bytes) => {
    line.received += String(bytes)
  })
  socket.on('error', (error) => {
    line.error = 'code' in error ? String(error.code) : error.message
  })
  socket.on('close', () => {
    line.closed = true
  })
  return line
}

const receives = (line: { received: string }, text: string) =>
  until(() => line.received === text, { what: `the receipt of ${text}, not ${line.received}` })

test('pass: bytes and both ends of a connection go through', async () => {
  const line = dial()
  line.socket.end('hello')
  await until(() => line.closed, { what: 'the end' })
  expect(line.received).toBe('HELLOBYE')
  expect(line.error).toBe('')
  await until(() => proxy.connections() === 0, { what: 'no connection left' })
})

test('refuse: new connections are refused, those under way are reset; afterwards all is well on the same port', async () => {
  const before = dial()
  before.socket.write('a')
  await receives(before, 'A')
  await proxy.set('refuse')
  await until(() => before.closed, { what: 'the reset' })
  const during = dial()
  await until(() => during.closed, { what: 'the refused connection' })
  expect(during.error).toBe('ECONNREFUSED')
  await proxy.set('pass')
  const after = dial()
  after.socket.write('b')
  await receives(after, 'B')
})

test('who has its port for a moment, as a search for a free one does, does not keep the proxy away', async () => {
  await proxy.set('refuse')
  const other = createServer()
  await new Promise<void>((isOpen) => other.listen(proxy.port, '127.0.0.1', isOpen))
  const back = proxy.set('pass')
  other.close()
  await back
  const line = dial()
  line.socket.write('a')
  await receives(line, 'A')
})

test('stall: no byte moves, on connections old and new, until the fault is over; then none is missing', async () => {
  const old = dial()
  old.socket.write('a')
  await receives(old, 'A')
  await proxy.set('stall')
  const fresh = dial()
  fresh.socket.write('c')
  old.socket.write('b')
  await until(() => proxy.connections() === 2, { what: 'the acceptance of the new connection' })
  await Bun.sleep(100) // nothing to wait for: this is about what does not happen
  expect(serverReceived).toEqual(['a'])
  await proxy.set('pass')
  await Promise.all([receives(old, 'AB'), receives(fresh, 'C')])
})

test('reset: connections under way break off, new ones right after they were accepted', async () => {
  const old = dial()
  old.socket.write('a')
  await receives(old, 'A')
  await proxy.set('reset')
  const fresh = dial()
  fresh.socket.write('b')
  await until(() => old.closed && fresh.closed, { what: 'the end of both' })
  expect(serverReceived).toEqual(['a'])
})

test('slow: bytes keep their order and their delay, also when the fault ends meanwhile', async () => {
  await proxy.set({ slow: { delayMs: 80 } })
  const line = dial()
  const begun = performance.now()
  line.socket.write('a')
  await until(() => serverReceived.length === 1, { what: 'the arrival of the first piece' })
  line.socket.write('b')
  await proxy.set('pass')
  await receives(line, 'AB')
  expect(performance.now() - begun).toBeGreaterThan(75)
})

test('drop-reply: what was said arrives, the answer does not, and the connection breaks', async () => {
  const line = dial()
  line.socket.write('a')
  await receives(line, 'A')
  await proxy.set('drop-reply')
  line.socket.write('b')
  await until(() => line.closed, { what: 'the reset' })
  expect(serverReceived).toEqual(['a', 'b'])
  expect(line.received).toBe('A')
  expect(proxy.dropped()).toBe(1)
})

test('a Unix socket is reached through a port, and refused when asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-proxy-'))
  const service = Bun.serve({ unix: join(folder, 's'), fetch: () => new Response('here') })
  const door = await faultProxy(`unix:${join(folder, 's')}`)
  expect(await (await fetch(door.url)).text()).toBe('here')
  await door.set('refuse')
  await expect(fetch(door.url)).rejects.toThrow()
  await door.close()
  await service.stop(true)
  rmSync(folder, { recursive: true })
})

test('cut: so many bytes arrive and no more, then the connection breaks; a new one is cut again', async () => {
  const old = dial()
  old.socket.write('a')
  await receives(old, 'A')
  await proxy.set({ cut: { afterBytes: 3 } })
  old.socket.write('bcdef')
  await until(() => old.closed, { what: 'the cut' })
  expect(serverReceived.join('')).toBe('abcd')
  const fresh = dial()
  fresh.socket.write('xy')
  await until(() => serverReceived.join('') === 'abcdxy', { what: 'what is within the limit' })
  fresh.socket.write('zw')
  await until(() => fresh.closed, { what: 'the second cut' })
  expect(serverReceived.join('')).toBe('abcdxyz')
})
