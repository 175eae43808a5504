import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'
import type { UsedBy } from '../load/cpu.ts'
import { load } from '../load/load.ts'
import type { LoadPlan } from '../load/plan.ts'
import { countStored } from '../measure/count-stored.ts'
import { measureRound, type RoundResult } from '../measure/rounds.ts'
import { usedByProcess, usedByStack } from '../measure/server-cpu.ts'
import { startYardstick } from '../measure/yardstick.ts'
import { BENCH_SETTINGS } from '../settings.ts'

const WANTED = 1.3
/** A machine has some 28,000 ephemeral ports, and each is reserved for a minute after its connection. */
const REQUESTS = 1_500
const QUICK_REQUESTS = 100
const CONNECTIONS = 16
const CLOSING = { connection: 'close' }

/** The cost of a phone that wakes up: a check-in over a new TLS connection minus one over a kept one. */
export const connection: Benchmark = {
  name: 'connection',
  question:
    'processor time that a new TLS connection adds to its first request, check-ins through the gateway, against the same of a bare TLS echo of Bun',
  better: 'less',
  wanted: WANTED,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const { caFile, url } = stack.running()
    const echo = await startYardstick({ caFile })
    try {
      const requests = quick ? QUICK_REQUESTS : REQUESTS
      const plan = { caFile, kind: 'checkin', connections: CONNECTIONS, requests } as const
      const gateway = openings({ ...plan, url: `${url}/api/event/checkin` }, gatewayAlone(stack), 202)
      const bare = openings({ ...plan, url: echo.url }, usedByProcess('echo', echo.pid), 200)
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      for (let round = 0; round <= ROUNDS; round++) {
        const [yardstick, ours] = [await bare.added(), await gateway.added()]
        if (round === 0) continue // the first round warms up
        measured.yardstick.push(yardstick)
        measured.ours.push(ours)
        log(`round ${round} of ${ROUNDS}: ${ours.toFixed(0)} against ${yardstick.toFixed(0)} µs`)
      }
      await stack.api.flush()
      const stored = await countStored(stack, gateway.sent(), { people: gateway.sent() })
      return {
        unit: 'µs of a processor',
        ...measured,
        notes: [
          'these come from the generator in JavaScript, whose cost is not counted',
          `a first request and its connection: the gateway ${median(gateway.whole()).toFixed(0)} µs, the echo ${median(bare.whole()).toFixed(0)} µs`,
          `all ${stored} that were answered 202 are in PostgreSQL, each exactly once`,
        ],
      }
    } finally {
      await echo.stop()
      await stack.close()
    }
  },
}

/** Services behind the gateway do not see client connections. */
const gatewayAlone = (stack: ThrowawayStack): UsedBy => {
  const used = usedByStack(stack)
  return () => ({ gateway: used().gateway ?? Number.NaN })
}

function openings(plan: Omit<LoadPlan, 'first' | 'forMs'>, used: UsedBy, status: number) {
  let first = 0
  const whole: number[] = []
  const turn = async (headers: Record<string, string>): Promise<RoundResult> => {
    const drive = () => load({ ...plan, forMs: Number.MAX_SAFE_INTEGER, first, headers }, status)
    const driven = await measureRound({ drive, used })
    first += driven.sent
    return driven
  }
  return {
    /** Processor time in µs that a connection adds to a request. */
    added: async (): Promise<number> => {
      const kept = await turn({})
      const opened = await turn(CLOSING)
      whole.push(opened.cpuUs)
      return opened.cpuUs - kept.cpuUs
    },
    whole: () => whole,
    sent: () => first,
  }
}
