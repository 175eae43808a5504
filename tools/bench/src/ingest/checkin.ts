import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, type Figure, median, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { countStored } from '../measure/count-stored.ts'
import { alternateRounds, costNote, latencyOf, type RoundResults, throughputOf } from '../measure/rounds.ts'
import { usedByProcess, usedByStack } from '../measure/server-cpu.ts'
import { startYardstick, type Yardstick } from '../measure/yardstick.ts'
import { BENCH_SETTINGS } from '../settings.ts'

/** More connections show what a batch of one event-loop tick saves. */
const CONNECTIONS = 64
const CONNECTIONS_MAX = 256
const WANTED = 0.3
const CROWD_WANTED = 0.35
const P99_WANTED = 4
const ROUND_MS = 3_000
const QUICK_ROUND_MS = 400

/** A check-in through TLS, gateway, service and journal, against a TLS echo under the same load. */
export const checkin: Benchmark = {
  name: 'checkin',
  question: `check-ins answered 202 through the TLS gateway (limits and journal on, each of another participant), against a bare TLS echo of Bun: same load, same bodies, ${CONNECTIONS} and ${CONNECTIONS_MAX} connections`,
  better: 'more',
  wanted: WANTED,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const echo = await startYardstick({ caFile: stack.running().caFile })
    try {
      const drive = checkinsOf(stack, echo, quick ? QUICK_ROUND_MS : ROUND_MS)
      const few = await drive.turns(CONNECTIONS, log)
      const many = await drive.turns(CONNECTIONS_MAX, log)
      await stack.api.flush()
      const stored = await countStored(stack, drive.acknowledged(), { people: drive.acknowledged() })
      return {
        ...throughputOf(few),
        notes: [costNote(few), `all ${stored} that were answered 202 are in PostgreSQL, each exactly once`],
        also: [
          latency('checkin p99', few),
          {
            name: `checkin, ${CONNECTIONS_MAX} connections`,
            better: 'more',
            wanted: CROWD_WANTED,
            ...throughputOf(many),
            notes: [costNote(many), latencyNote(many, 'p99Ms')],
          },
        ],
      }
    } finally {
      await echo.stop()
      await stack.close()
    }
  },
}

/** Check-ins and echoes of the same bodies; every check-in is of another participant. */
function checkinsOf(stack: ThrowawayStack, echo: Yardstick, forMs: number) {
  const { caFile, url } = stack.running()
  let acknowledged = 0
  const turns = async (connections: number, log: (line: string) => void): Promise<RoundResults> => {
    const plan = { caFile, kind: 'checkin', connections, forMs } as const
    const ours = {
      drive: async () => {
        const result = await load({ ...plan, url: `${url}/api/event/checkin`, first: acknowledged }, 202)
        acknowledged += result.sent
        return result
      },
      used: usedByStack(stack),
    }
    const yardstick = {
      drive: () => load({ ...plan, url: echo.url, first: acknowledged }, 200),
      used: usedByProcess('echo', echo.pid),
    }
    await alternateRounds(1, { ours, yardstick }) // the first round warms up
    return alternateRounds(ROUNDS, { ours, yardstick }, (round, last) =>
      log(
        `round ${round} of ${ROUNDS}, ${connections} connections: ${Math.round(last.ours.perSecond)} of ${Math.round(last.yardstick.perSecond)} requests/s`,
      ),
    )
  }
  return { turns, acknowledged: () => acknowledged }
}

/** Latencies of ours and of the echo. */
function latencyNote(turns: RoundResults, share: 'p50Ms' | 'p99Ms'): string {
  const { ours, yardstick } = latencyOf(turns, share)
  return `${share.slice(0, 'p99'.length)} ${median(ours).toFixed(1)} ms, that of the echo ${median(yardstick).toFixed(1)} ms`
}

const latency = (name: string, turns: RoundResults): Figure => ({
  name,
  better: 'less',
  wanted: P99_WANTED,
  ...latencyOf(turns, 'p99Ms'),
  notes: [latencyNote(turns, 'p50Ms')],
})
