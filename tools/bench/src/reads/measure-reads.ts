import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Measured, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { alternateRounds, costNote, throughputOf } from '../measure/rounds.ts'
import { usedByProcess, usedByStack } from '../measure/server-cpu.ts'
import { startYardstick } from '../measure/yardstick.ts'

const ROUND_MS = 3_000
const QUICK_ROUND_MS = 400

/** GETs of one path against a server of Bun that returns the same bytes. */
export async function measureReads(
  stack: Pick<ThrowawayStack, 'running' | 'home'>,
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
  const { url, caFile } = stack.running()
  const folder = mkdtempSync(join(tmpdir(), 'palanquin-reads-'))
  const answer = await fetch(url + path, { headers, tls: { ca: Bun.file(caFile) }, decompress: false })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  const file = join(folder, 'answer')
  writeFileSync(file, bytes)
  const bare = await startYardstick({ caFile, get: { file, from } })
  const drive = (target: string) => async () => {
    const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
    const plan = { url: target, caFile, kind: 'get', connections, forMs, first: 0, headers } as const
    const result = await load(plan, 200)
    if (result.bytes < result.sent * bytes.length)
      throw new Error(`${result.sent} answers of ${bytes.length} bytes came to ${result.bytes}`)
    return result
  }
  try {
    const sides = {
      ours: { drive: drive(url + path), used: usedByStack(stack) },
      yardstick: { drive: drive(bare.url), used: usedByProcess('yardstick', bare.pid) },
    }
    await alternateRounds(1, sides) // both are warm before the measurement
    const turns = await alternateRounds(ROUNDS, sides)
    return {
      ...throughputOf(turns),
      notes: [
        `${bytes.length.toLocaleString('en-US')} bytes, ${connections} connections, the yardstick from ${from}`,
        costNote(turns),
        'every answer had all of its bytes',
      ],
    }
  } finally {
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
