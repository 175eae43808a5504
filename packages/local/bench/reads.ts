import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storePid, type ThrowawayStack } from '../src/throwaway-stack.ts'
import { type Measured, median, ROUNDS } from './benchmark.ts'
import { cpuMsByName, cpuMsOf, cpuUsEach } from './load/cpu.ts'
import { load } from './load/load.ts'
import { startYardstick } from './yardstick.ts'

const ROUND_MS = 3_000
const QUICK_ROUND_MS = 400
const WARM_UP_MS = 500

/** GETs of one path against Bun's own server that answers with the very bytes which that path gives. */
export async function measureReads(
  { running, home }: Pick<ThrowawayStack, 'running' | 'home'>,
  {
    path,
    headers = {},
    from,
    connections,
    quick,
  }: {
    path: string
    headers?: Record<string, string>
    from: 'file' | 'memory'
    connections: number
    quick: boolean
  },
): Promise<Measured> {
  const { url, caFile, services } = running()
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-reads-'))
  const answer = await fetch(url + path, { headers, tls: { ca: Bun.file(caFile) }, decompress: false })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  const file = join(folder, 'answer')
  writeFileSync(file, bytes)
  const bare = await startYardstick({ caFile, get: { file, from } })
  try {
    const round = async (target: string, forMs: number) => {
      const plan = { url: target, caFile, kind: 'get', connections, forMs, first: 0, headers } as const
      const result = await load(plan, 200)
      if (result.bytes < result.sent * bytes.length)
        throw new Error(`${result.sent} answers of ${bytes.length} bytes came to ${result.bytes}`)
      return result
    }
    for (const target of [bare.url, url + path]) await round(target, WARM_UP_MS)
    const measured = { ours: [] as number[], yardstick: [] as number[] }
    const used = { ours: [] as Record<string, number>[], bare: [] as number[] }
    const pids: Record<string, number> = { redis: storePid(home, 'redis') }
    for (const [name, { pid }] of Object.entries(services)) pids[name] = pid
    for (let n = 0; n < ROUNDS; n++) {
      const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
      const bareMs = cpuMsOf(bare.pid)
      const plain = await round(bare.url, forMs)
      used.bare.push(((cpuMsOf(bare.pid) - bareMs) / plain.sent) * 1_000)
      measured.yardstick.push(plain.perSecond)
      const before = cpuMsByName(pids)
      const result = await round(url + path, forMs)
      used.ours.push(cpuUsEach(before, cpuMsByName(pids), result.sent))
      measured.ours.push(result.perSecond)
    }
    const us = Object.keys(pids)
      .map((name) => ({ name, us: median(used.ours.map((of) => of[name] ?? Number.NaN)) }))
      .filter((of) => of.us >= 1)
    return {
      unit: 'requests/s',
      ...measured,
      notes: [
        `${bytes.length.toLocaleString('en-US')} bytes, ${connections} connections, the yardstick from ${from}`,
        `processor time a request: ${us.map((of) => `${of.name} ${of.us.toFixed(0)} µs`).join(', ')}, together ${sum(us.map((of) => of.us)).toFixed(0)} µs; the yardstick ${median(used.bare).toFixed(0)} µs`,
        'every answer had all of its bytes',
      ],
    }
  } finally {
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
