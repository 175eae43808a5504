import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:tls'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { HOSTILE_BODIES } from '@palanquin/testing/hostile-bodies'
import { CAN_TELL_PROCESSOR_TIME, processorMsOf, residentBytesOf } from '@palanquin/testing/processor-time'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** The contract (section 1) says 5. */
const PROCESSOR_MS_MAX = 15
/** In a round. Processor time is measured in steps of 10 ms. */
const BODIES = 40
/** The compiler's own time and other processes make a round dearer, and none makes one cheaper. */
const ROUNDS_MAX = 10
const AT_ONCE = 4

let stack: ThrowawayStack
beforeAll(async () => {
  // The limit of five check-ins a minute would keep most of them from tracking, and hide their cost there.
  stack = await startThrowawayStack({ RATE_LIMITS: 'off', FLUSH_SCHEDULE: '0 0 0 1 1 *' })
})
afterAll(() => stack.close())

const usedMs = (): Record<string, number> => {
  const { gateway, tracking } = stack.running().services
  return { gateway: processorMsOf(gateway?.pid ?? 0), tracking: processorMsOf(tracking?.pid ?? 0) }
}

/** Their statuses, sent a few at a time. */
async function send(path: string, bodies: readonly string[]): Promise<number[]> {
  const statuses: number[] = []
  for (let at = 0; at < bodies.length; at += AT_ONCE) {
    const some = bodies.slice(at, at + AT_ONCE)
    const replies = await Promise.all(some.map((body) => stack.api.post(path, body)))
    statuses.push(...replies.map(({ status }) => status))
  }
  return statuses
}

/** Milliseconds of processor time that each body costs the service that works most for it. */
async function round(path: string, bodies: readonly string[]): Promise<{ ms: number; statuses: number[] }> {
  const before = usedMs()
  const statuses = await send(path, bodies)
  const after = usedMs()
  const ms =
    Math.max(...Object.entries(after).map(([name, now]) => now - (before[name] ?? 0))) / bodies.length
  return { ms, statuses }
}

/** The answer to a body of one-byte chunks, sent at once, when the gateway has closed the connection. */
const sendChunks = (path: string, chunks: number) =>
  new Promise<string>((resolve) => {
    const url = new URL(stack.running().url)
    let answer = ''
    const socket = connect({ host: url.hostname, port: Number(url.port), rejectUnauthorized: false }, () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      socket.write(`${'1\r\n \r\n'.repeat(chunks)}0\r\n\r\n`)
    })
    socket.on('data', (bytes) => {
      answer += bytes.toString()
    })
    socket.on('error', () => {}) // closed before it has sent everything
    socket.on('close', () => resolve(answer))
  })

test.skipIf(!CAN_TELL_PROCESSOR_TIME).each([
  ['/api/event/track/sync', 100_000],
  ['/api/event/track/sync', 1_000_000],
  ['/in/owntracks', 100_000],
  ['/in/owntracks', 1_000_000],
])(
  'a body of one-byte chunks costs the gateway a few milliseconds, and no memory; it is answered and ended: %s, %i',
  async (path, chunks) => {
    const { pid = 0 } = stack.running().services.gateway ?? {}
    const costs: number[] = []
    const rssBefore = residentBytesOf(pid)
    for (let round = 0; round < 5; round++) {
      const before = processorMsOf(pid)
      for (let times = 0; times < 4; times++) await sendChunks(path, chunks)
      costs.push((processorMsOf(pid) - before) / 4)
    }
    expect(Math.min(...costs)).toBeLessThan(PROCESSOR_MS_MAX)
    expect(residentBytesOf(pid) - rssBefore).toBeLessThan(60_000_000)
  },
)

test.skipIf(!CAN_TELL_PROCESSOR_TIME).each(HOSTILE_BODIES)(
  'no body costs tracking or the gateway more than a few milliseconds of processor time: $name',
  async ({ text, isRefused }) => {
    const bodiesOf = (turn: number) => Array.from({ length: BODIES }, (_, at) => text(turn * BODIES + at))
    const path = text(0).includes('"points"') ? '/track/sync' : '/checkin'
    const rounds = [await round(path, bodiesOf(0))]
    let cheapest = Number.POSITIVE_INFINITY
    while (cheapest >= PROCESSOR_MS_MAX && rounds.length < ROUNDS_MAX) {
      const next = await round(path, bodiesOf(rounds.length))
      rounds.push(next)
      cheapest = Math.min(cheapest, next.ms)
    }
    expect(cheapest).toBeLessThan(PROCESSOR_MS_MAX)
    const statuses = new Set(rounds.flatMap((each) => each.statuses))
    if (isRefused) expect(statuses).toEqual(new Set([400]))
    else expect([...statuses].every((status) => [200, 202, 400].includes(status))).toBe(true)
  },
)
