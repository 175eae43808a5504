import { dirname, join } from 'node:path'
import { percentile } from '../demo/tally.ts'
import { setOut, type ThrowawayStack } from '../throwaway-stack.ts'
import { type Benchmark, ROUNDS } from './benchmark.ts'

const LANES = 32
const ROUND_MS = 3_000
const WARM_UP_MS = 1_000
const STORED_MS_MAX = 60_000
const ECHO_FILE = join(import.meta.dir, 'echo.ts')

/** The way of a check-in through TLS, gateway, service and journal, against a TLS echo by the same client. */
export const checkin: Benchmark = {
  name: 'checkin',
  question:
    'check-ins answered 202 through the TLS gateway, against a bare TLS echo of Bun, same client and body',
  better: 'more',
  run: async (say) => {
    const stack = await setOut({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' })
    const { caFile, url } = stack.running()
    const tls = dirname(caFile)
    const echo = Bun.spawn(
      [process.execPath, '--no-env-file', ECHO_FILE, join(tls, 'cert.pem'), join(tls, 'key.pem')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    try {
      const ca = await Bun.file(caFile).text()
      const echoUrl = `https://localhost:${await firstLine(echo.stdout)}/`
      const checkinUrl = `${url}/api/event/checkin`
      await load(echoUrl, ca, 200, WARM_UP_MS)
      const acknowledged = (await load(checkinUrl, ca, 202, WARM_UP_MS)).length
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      const tookMs: number[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        measured.yardstick.push(perSecond(await load(echoUrl, ca, 200, ROUND_MS)))
        const ours = await load(checkinUrl, ca, 202, ROUND_MS)
        measured.ours.push(perSecond(ours))
        tookMs.push(...ours)
        say(`round ${round} of ${ROUNDS}: ${Math.round(measured.ours.at(-1) ?? 0)} check-ins/s`)
      }
      const expected = acknowledged + tookMs.length
      const stored = await storedOf(stack, expected)
      if (stored !== expected)
        throw new Error(`${expected} check-ins were answered 202 and ${stored} are stored`)
      const ms = (share: number) => percentile(tookMs, share).toFixed(1)
      return {
        unit: 'requests/s',
        ...measured,
        notes: [
          `${LANES} requests at once; client and servers share this machine`,
          `p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms`,
          `all ${expected} that were answered 202 are in PostgreSQL`,
        ],
      }
    } finally {
      echo.kill()
      await stack.close()
    }
  },
}

const perSecond = (tookMs: readonly number[]): number => (tookMs.length / ROUND_MS) * 1000

let walkers = 0

/** Posts check-ins from several lanes, each of a walker of its own; the milliseconds of each answer. */
async function load(url: string, ca: string, status: number, forMs: number): Promise<number[]> {
  const tookMs: number[] = []
  const endMs = performance.now() + forMs
  const lane = async () => {
    while (performance.now() < endMs) {
      const walker = walkers++
      const body = `{"userId":"bench-${walker}","lat":${24 + (walker % 1000) / 10_000},"lng":120.6238,"accuracy":8}`
      const startedMs = performance.now()
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        tls: { ca },
      })
      await answer.arrayBuffer()
      if (answer.status !== status) throw new Error(`${url} answered ${answer.status}`)
      tookMs.push(performance.now() - startedMs)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return tookMs
}

/** How many check-ins PostgreSQL has, once it has as many as expected or does not get more. */
async function storedOf({ sql }: ThrowawayStack, expected: number): Promise<number> {
  const deadline = performance.now() + STORED_MS_MAX
  for (;;) {
    const [row] = await sql`SELECT count(*)::int AS stored FROM tracking.points WHERE kind = 0`
    const stored = Number(row?.stored)
    if (stored >= expected || performance.now() > deadline) return stored
    await Bun.sleep(500)
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return new TextDecoder().decode(value).trim()
}
