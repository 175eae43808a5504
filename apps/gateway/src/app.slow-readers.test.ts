import { afterEach, expect, describe as group, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { requestWithoutReading, type UnreadSocket } from '../test/unread-client.ts'
import { useGateway } from '../test/use-gateway.ts'
import { Readers } from './readers/readers.ts'
import { Unread } from './readers/unread.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const MEBIBYTE = 1_048_576
/** More than a kernel holds for a connection on one machine (its sender 4 MB, its receiver 6). */
const MAP_BYTES = 24 * MEBIBYTE
/** In whole seconds, which Bun counts in steps of four. */
const STALLED_MS = 4_000
/** About as long as Bun can be told. */
const NEVER_STALLED_MS = 250_000

/** So slow that a reader takes twice as long as one that takes nothing is given, whatever kernels hold of it. */
const SLOW_BYTES_PER_MS = 1_000

const optionsOf = (stalledMsMax: number) => {
  const unread = new Unread({ addressBytesMax: 60 * MEBIBYTE, allBytesMax: 100 * MEBIBYTE })
  return {
    shared: true,
    deadlineMs: TEST_TIMEOUT_MS,
    env: { RATE_LIMITS: 'off' },
    readers: new Readers({ unread, stalledMsMax }),
  }
}
const deployment = useGateway(optionsOf(STALLED_MS))
/** Drops none during a test, however slow that is. */
const patient = () => deployment.addGateway(optionsOf(NEVER_STALLED_MS))
const sockets: UnreadSocket[] = []
const disconnect = () => {
  for (const { socket } of sockets.splice(0)) socket.destroy()
}
afterEach(disconnect)

const bytes = new Uint8Array(MAP_BYTES).fill(120)
const announced = () => deployment.services.map.replyWith(() => new Response(bytes))
/** Of unknown length, as exports are. */
const flowing = () =>
  deployment.services.map.replyWith(() => {
    let left = MAP_BYTES / 65_536
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) =>
          left-- > 0 ? controller.enqueue(bytes.subarray(0, 65_536)) : controller.close(),
      }),
    )
  })
const unread = async (path: string, port = deployment.gateway.port) => {
  const socket = await requestWithoutReading(port, path)
  sockets.push(socket)
  return socket
}
const droppedReaders = () => deployment.gateway.readers.dropped
const allReadersEnded = () =>
  until(() => deployment.gateway.readers.count === 0, { what: 'every reader has ended' })

group('a client that requests a large response and does not read it', () => {
  test.each([
    ['the shared map', announced, '/api/event/data'],
    ['an answer of unknown length', flowing, '/api/event/data'],
    ['one of known length that is not shared', announced, '/api/event/data?since=abc'],
  ])('is dropped: %s', async (_, reply, path) => {
    reply()
    const before = droppedReaders().stalled
    const { socket, received } = await unread(path)
    await until(() => deployment.gateway.readers.count === 1, { what: 'it reads' })
    await until(() => droppedReaders().stalled === before + 1, { what: 'it is dropped' })
    expect([deployment.gateway.readers.count, deployment.gateway.readers.unreadBytes]).toEqual([0, 0])
    socket.resume()
    await until(() => socket.destroyed, { what: 'its connection is closed' })
    expect(received()).toStartWith('HTTP/1.1 200')
    expect(received().length).toBeLessThan(MAP_BYTES)
  })

  test('is sent to its end where the client is only slow', async () => {
    announced()
    const slow = await deployment.addGateway({
      shared: true,
      readers: new Readers({ stalledMsMax: 2 * STALLED_MS }),
    })
    const { socket, received } = await unread('/api/event/data', slow.port)
    socket.on('data', ({ length }) => {
      socket.pause()
      setTimeout(() => socket.resume(), length / SLOW_BYTES_PER_MS)
    })
    socket.resume()
    await until(() => received().length > MAP_BYTES, { what: 'all of it' })
    await until(() => received().endsWith('\r\n0\r\n\r\n'), { what: 'the last chunk' })
    const body = received().slice(received().indexOf('\r\n\r\n') + 4)
    expect(body.replaceAll(/[^x]/g, '')).toHaveLength(MAP_BYTES)
    expect(slow.readers.dropped.stalled).toBe(0)
  })

  test('shares one copy with all readers of the same body', async () => {
    const gateway = await patient()
    deployment.services.map.replyWith(async () => {
      await until(() => gateway.inFlight() >= 10, { what: 'all of them ask' })
      return new Response(bytes)
    })
    await Promise.all(Array.from({ length: 10 }, () => unread('/api/event/data', gateway.port)))
    await until(() => gateway.readers.count === 10, { what: 'all of them read' })
    expect(gateway.readers.unreadBytes).toBe(MAP_BYTES)
    disconnect()
    await until(() => gateway.readers.count === 0, { what: 'every reader has ended' })
    expect(gateway.readers.unreadBytes).toBe(0)
  })

  test('leaves a bounded number of bytes unread; its address gets a 503, and is served again later', async () => {
    announced()
    const gateway = await patient()
    const paths = ['/api/event/data?bbox=1', '/api/event/data?bbox=2']
    await Promise.all(paths.map((path) => unread(path, gateway.port)))
    await until(() => gateway.readers.count === 2, { what: 'both read' })
    const refused = await gateway.call('/api/event/data?bbox=3')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '15'])
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('your address') })
    expect(gateway.readers.unreadBytes).toBe(2 * MAP_BYTES)
    expect((await gateway.call('/api/event/user/U1')).status).toBe(200)
    disconnect()
    await until(() => gateway.readers.count === 0, { what: 'every reader has ended' })
    expect((await (await gateway.call('/api/event/data?bbox=3')).arrayBuffer()).byteLength).toBe(MAP_BYTES)
  })
})

test('clients that read to the end leave nothing behind, nor does one that disconnects', async () => {
  announced()
  const whole = Array.from({ length: 8 }, async () =>
    (await deployment.gateway.call('/api/event/data')).arrayBuffer(),
  )
  for (const read of await Promise.all(whole)) expect(read.byteLength).toBe(MAP_BYTES)
  const { socket } = await unread('/api/event/data')
  await until(() => deployment.gateway.readers.unreadBytes === MAP_BYTES, { what: 'it reads' })
  socket.destroy()
  await allReadersEnded()
  expect(deployment.gateway.readers.unreadBytes).toBe(0)
})

test('clients that disconnect before the response leave no call, no stream and no reader behind', async () => {
  const streaming = new Set<() => void>()
  deployment.services.map.replyWith(async ({ signal }) => {
    await Bun.sleep(150)
    if (signal.aborted) return new Response()
    return new Response(
      new ReadableStream<string>({
        start: (controller) => {
          const end = () => void streaming.delete(end)
          streaming.add(end)
          signal.addEventListener('abort', end)
          controller.enqueue('data: first\n\n')
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  })
  const paths = ['/api/event/data/stream', '/api/event/data?since=a']
  for (const leavesAfterMs of [0, 20, 140, 150, 160])
    await Promise.all(
      paths.flatMap((path) =>
        Array.from({ length: 10 }, async () => {
          const { socket } = await unread(path)
          await Bun.sleep(leavesAfterMs)
          socket.destroy()
        }),
      ),
    )
  await until(() => deployment.gateway.unfinished().every(({ calls, streams }) => calls + streams === 0), {
    what: 'no call is in flight',
  })
  await allReadersEnded()
  expect(deployment.gateway.readers.unreadBytes).toBe(0)
  // A place for each stream of the address is free again.
  const followers = await Promise.all(Array.from({ length: 20 }, () => unread('/api/event/data/stream')))
  for (const { socket } of followers) socket.resume()
  await until(() => followers.every(({ received }) => received().startsWith('HTTP/1.1 200')), {
    what: 'twenty streams',
  })
})
