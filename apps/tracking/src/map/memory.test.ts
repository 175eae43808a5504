import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'
import { type Child, killChildren, startChild } from '../../test/child.ts'
import { type Stores, stores, TOKEN } from '../../test/harness.ts'
import { storeSampleData } from '../../test/sample-rows.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const PARTICIPANTS = 33_000
const ROUNDS = 10
const AT_ONCE = 30
const UNREAD = 150
/** The bytes of the map are shared; each connection has a slice, and its buffers in the kernel. */
const UNREAD_MB_MAX = 250
const FORMATS = ['json', 'geojson', 'columns']
const HEADERS = { 'x-internal-token': TOKEN }

let given: Stores
let child: Child
beforeAll(async () => {
  given = await stores()
  await storeSampleData(given, PARTICIPANTS)
  child = await startChild(given, {}, { main: 'map/main.ts' })
  await until(async () => (await get('/data')).ok, { what: 'the map is loaded' })
})
afterAll(async () => {
  await killChildren()
  await given.close()
})

async function get(path: string): Promise<{ ok: boolean; text: string }> {
  const response = await fetch(child.url + path, { headers: HEADERS })
  return { ok: response.ok, text: await response.text() }
}
/** A line of what the kernel says of the process's memory, in MB. */
function memoryMb(line: 'RssAnon' | 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const [, kilobytes] = new RegExp(`${line}:\\s+(\\d+)`).exec(status) ?? []
  return Number(kilobytes) / 1_024
}
/** Private memory of the process, in MB. */
const ownMb = () => memoryMb('RssAnon')
/** From now on `VmHWM` is the most that the process has had since (man 5 proc_pid_clear_refs). */
const forgetPeak = () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5')

test('the memory of a burst of maps is released', async () => {
  const before = ownMb()
  const allBefore = memoryMb('VmRSS')
  forgetPeak()
  let built = 0
  for (let round = 0; round < ROUNDS; round++) {
    const responses = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => {
        const south = 23 + (round * AT_ONCE + i) / 10_000
        return get(`/data?bbox=120,${south},122,25&format=${FORMATS[i % 3]}`)
      }),
    )
    built += responses.filter(({ ok }) => ok).length
  }
  expect(built).toBeGreaterThan(ROUNDS)
  const burst = memoryMb('VmHWM') - allBefore
  expect(burst).toBeGreaterThan(100)
  await until(() => ownMb() < before + burst / 2, { what: 'the memory is released' })
})

/** Connections that send a request and read nothing. */
async function unread(path: string) {
  const { hostname, port } = new URL(child.url)
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-internal-token: ${TOKEN}\r\n\r\n`
  let started = 0
  const sockets = await Promise.all(
    Array.from({ length: UNREAD }, () =>
      Bun.connect({
        hostname,
        port: Number(port),
        socket: {
          open: (socket) => void socket.write(request),
          data: (socket) => {
            started++
            socket.pause()
          },
        },
      }),
    ),
  )
  await until(() => started >= UNREAD, { what: 'every response has begun' })
  const close = () => {
    for (const socket of sockets) socket.terminate()
  }
  return { close }
}

test('clients that request the map and do not read cost the map once', async () => {
  const before = ownMb()
  const clients = await unread('/data')
  expect(ownMb() - before).toBeLessThan(UNREAD_MB_MAX)
  clients.close()
})

test('event streams that are not read cost the first event once, and are disconnected', async () => {
  const streams = async () =>
    Number(/palanquin_map_streams\{[^}]*\} (\d+)/.exec((await get('/metrics')).text)?.[1])
  const before = ownMb()
  const clients = await unread('/data/stream')
  await until(async () => (await streams()) > 0, { what: 'open streams' })
  expect(ownMb() - before).toBeLessThan(UNREAD_MB_MAX)
  await until(async () => (await streams()) === 0, { what: 'all of them disconnected' })
  clients.close()
})
