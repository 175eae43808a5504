import { setOut, type ThrowawayStack } from '../src/throwaway-stack.ts'
import { type Benchmark, ROUNDS } from './benchmark.ts'
import { countStored } from './counted.ts'
import { memoryOf } from './load/cpu.ts'
import { load } from './load/load.ts'
import { NO_FLUSH } from './settings.ts'

const IDLE_MB_MAX = 450
const LOADED_MB_MAX = 900
/** After the start: garbage of the first requests is collected, caches are not yet old. */
const SETTLE_MS = 5_000
const LOOK_MS = 500
const ROUND_MS = 6_000
const QUICK_ROUND_MS = 1_000
const CONNECTIONS = 64

/** What the services take of the machine together, the stores not among it. */
export const memory: Benchmark = {
  name: 'memory',
  question: `memory of all services together, idle, against ${IDLE_MB_MAX} MB; and under as many check-ins as this machine gives, against ${LOADED_MB_MAX} MB`,
  better: 'less',
  wanted: 1,
  run: async (say, { quick }) => {
    const stack = await setOut(NO_FLUSH)
    const { url, caFile } = stack.running()
    try {
      await Bun.sleep(quick ? LOOK_MS : SETTLE_MS)
      const idle: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        idle.push(together(stack))
        await Bun.sleep(LOOK_MS)
      }
      const each = Object.entries(stack.running().services)
        .map(([name, { pid }]) => `${name} ${memoryOf(pid).ownMb.toFixed(0)}`)
        .join(', ')
      say(`idle: ${each} MB`)
      const loaded: number[] = []
      const rates: number[] = []
      let sent = 0
      for (let round = 0; round < ROUNDS; round++) {
        let most = 0
        const look = setInterval(() => {
          most = Math.max(most, together(stack))
        }, LOOK_MS)
        const plan = {
          url: `${url}/api/event/checkin`,
          caFile,
          kind: 'checkin',
          connections: CONNECTIONS,
        } as const
        const result = await load({ ...plan, forMs: quick ? QUICK_ROUND_MS : ROUND_MS, first: sent }, 202)
        clearInterval(look)
        sent += result.sent
        loaded.push(Math.max(most, together(stack)))
        rates.push(result.perSecond)
      }
      await stack.api.flush()
      const stored = await countStored(stack, sent)
      return {
        unit: 'MB',
        ours: idle,
        yardstick: idle.map(() => IDLE_MB_MAX),
        notes: [
          `${each} MB each for itself, and what they share once; the yardstick is the figure that is wanted`,
        ],
        also: [
          {
            name: 'memory under load',
            better: 'less',
            wanted: 1,
            unit: 'MB',
            ours: loaded,
            yardstick: loaded.map(() => LOADED_MB_MAX),
            notes: [
              `the most at any moment of a round, at ${Math.round(Math.max(...rates))} check-ins/s: what this machine gave, shared with the load`,
              `all ${stored} are in PostgreSQL`,
            ],
          },
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

/** What each has to itself, and the program that they share once: other programs of Bun on this machine do not help. */
function together({ running }: ThrowawayStack): number {
  const each = Object.values(running().services).map(({ pid }) => memoryOf(pid))
  return each.reduce((sum, { ownMb }) => sum + ownMb, 0) + Math.max(...each.map(({ sharedMb }) => sharedMb))
}
