import { startThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { countStored } from '../measure/count-stored.ts'
import { BENCH_SETTINGS } from '../settings.ts'

const CONNECTIONS = 64
const ROUND_MS = 4_000
const QUICK_ROUND_MS = 500

/** Check-ins here, against OwnTracks locations at another server: the same load, alternating. */
export const peer = (url: string, status: number): Benchmark => ({
  name: 'peer',
  question: `check-ins/s through this gateway, against OwnTracks locations/s at ${url}: same generator, places and connections`,
  better: 'more',
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const { caFile, url: own } = stack.running()
    try {
      const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
      const shared = { connections: CONNECTIONS, forMs }
      const measured = { ours: [] as number[], yardstick: [] as number[] }
      const p99Ms = { ours: [] as number[], theirs: [] as number[] }
      let [sent, sentThere] = [0, 0]
      for (let round = 0; round <= ROUNDS; round++) {
        const there = await load({ ...shared, url, kind: 'owntracks', first: sentThere }, status)
        const here = await load(
          { ...shared, url: `${own}/api/event/checkin`, caFile, kind: 'checkin', first: sent },
          202,
        )
        sentThere += there.sent
        sent += here.sent
        if (round === 0) continue // the first round warms up
        measured.yardstick.push(there.perSecond)
        measured.ours.push(here.perSecond)
        p99Ms.theirs.push(there.p99Ms)
        p99Ms.ours.push(here.p99Ms)
        log(
          `round ${round} of ${ROUNDS}: ${Math.round(here.perSecond)} here, ${Math.round(there.perSecond)} there`,
        )
      }
      await stack.api.flush()
      const stored = await countStored(stack, sent)
      return {
        unit: 'requests/s',
        ...measured,
        notes: [
          `p99 ${median(p99Ms.ours).toFixed(1)} ms here, ${median(p99Ms.theirs).toFixed(1)} ms there`,
          `all ${stored} that were answered 202 here are in PostgreSQL; what ${sentThere} answers of ${status} meant there is not looked at`,
        ],
      }
    } finally {
      await stack.close()
    }
  },
})
