import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, type Figure, median, ROUNDS } from '../benchmark.ts'
import { load } from '../load/load.ts'
import { syncBytes } from '../load/requests.ts'
import { countStored } from '../measure/count-stored.ts'
import {
  alternateRounds,
  costNote,
  measureRound,
  type RoundResults,
  throughputOf,
  untilQuiet,
} from '../measure/rounds.ts'
import { usedByProcess, usedByStack } from '../measure/server-cpu.ts'
import { startYardstick, type Yardstick } from '../measure/yardstick.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { xadds } from './redis-benchmark.ts'

/** Points per sync: of phones that were offline for long, for a while, briefly, and not at all. */
const SIZES = [100, 60, 20, 2] as const
const WANTED: Readonly<Record<number, number>> = { 100: 0.25, 60: 0.25 }
/** For the smallest sync, which is the most frequent one. */
const SMALL = 2
const SMALL_US_MAX = 120
const CONNECTIONS = 64
/** Each round is flushed before the next, and begins with processes that have just rested. */
const ROUND_MS = 4_000
const QUICK_ROUND_MS = 300
const XADDS = 20_000
const QUICK_XADDS = 2_000
const KEY = 'bench:entries'

/** Points into the buffer by way of the gateway, against Redis alone taking the same bytes. */
export const sync: Benchmark = {
  name: 'sync',
  question: `points/s into the buffer by track/sync of ${SIZES.join(', ')} points through the TLS gateway, against one XADD of the body's bytes for each sync, by redis-benchmark`,
  better: 'more',
  wanted: WANTED[100] ?? Number.NaN,
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const echo = await startYardstick({ caFile: stack.running().caFile })
    try {
      const drive = syncsOf(stack, quick)
      const figures: Figure[] = []
      for (const points of SIZES) {
        const turns = await drive.turns(points, log)
        figures.push(figureOf(points, turns))
        if (points === SMALL) figures.push(await costOfSmall(turns, { stack, echo, quick }))
      }
      const stored = await countStored(stack, drive.acknowledged().points)
      const [first, ...also] = figures
      if (!first) throw new Error('no syncs were measured')
      return {
        ...first,
        notes: [...first.notes, `all ${stored} points that were answered 200 are in PostgreSQL`],
        also,
      }
    } finally {
      await echo.stop()
      await stack.close()
    }
  },
}

/** Syncs of one size against XADDs of as many bytes. */
function syncsOf(stack: ThrowawayStack, quick: boolean) {
  const { url, caFile, redisUrl } = stack.running()
  const acknowledged = { syncs: 0, points: 0 }
  const turns = async (points: number, log: (line: string) => void): Promise<RoundResults> => {
    const used = usedByStack(stack)
    const ours = {
      drive: async () => {
        const plan = {
          caFile,
          kind: 'sync',
          connections: CONNECTIONS,
          points,
          first: acknowledged.syncs,
        } as const
        const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
        const result = await load({ ...plan, url: `${url}/api/event/track/sync`, forMs }, 200)
        acknowledged.syncs += result.sent
        acknowledged.points += result.sent * points
        return result
      },
      used,
    }
    const yardstick = {
      drive: () =>
        xadds(redisUrl, {
          key: KEY,
          bytes: syncBytes(points),
          requests: quick ? QUICK_XADDS : XADDS,
          connections: CONNECTIONS,
        }),
      used: () => ({ redis: used().redis ?? Number.NaN }),
    }
    const sides = { ours, yardstick }
    /** The backlog must not grow from round to round, nor what a flush leaves to others fall into the next one. */
    const flush = async () => {
      await stack.api.flush()
      await untilQuiet(used)
    }
    await alternateRounds(1, sides, flush) // the first round warms up
    return alternateRounds(ROUNDS, sides, async (round, last) => {
      await flush()
      log(
        `syncs of ${points}, round ${round} of ${ROUNDS}: ${Math.round(last.ours.perSecond)} of ${Math.round(last.yardstick.perSecond)} a second`,
      )
    })
  }
  return { turns, acknowledged: () => acknowledged }
}

function figureOf(points: number, turns: RoundResults): Figure {
  const wanted = WANTED[points]
  return {
    name: `sync, ${points} points`,
    better: 'more',
    ...(wanted === undefined ? {} : { wanted }),
    ...throughputOf(turns, { unit: 'points/s', times: points }),
    notes: [
      `a body of ${syncBytes(points).toLocaleString('en-US')} bytes, ${CONNECTIONS} connections`,
      costNote(turns, 'a sync'),
    ],
  }
}

/** Processor time of all servers per smallest sync, against its target. */
async function costOfSmall(
  { ours }: RoundResults,
  { stack, echo, quick }: { stack: ThrowawayStack; echo: Yardstick; quick: boolean },
): Promise<Figure> {
  const plan = {
    url: echo.url,
    caFile: stack.running().caFile,
    kind: 'sync',
    points: SMALL,
    first: 0,
  } as const
  const forMs = quick ? QUICK_ROUND_MS : ROUND_MS
  const drive = () => load({ ...plan, connections: CONNECTIONS, forMs }, 200)
  const echoed = []
  for (let round = 0; round < ROUNDS; round++)
    echoed.push(await measureRound({ drive, used: usedByProcess('echo', echo.pid) }))
  const echoUs = median(echoed.map(({ cpuUs }) => cpuUs))
  return {
    name: `sync, ${SMALL} points, processor time`,
    better: 'less',
    wanted: 1,
    unit: 'µs of a processor',
    ours: ours.map(({ cpuUs }) => cpuUs),
    yardstick: ours.map(() => SMALL_US_MAX),
    notes: [
      `the yardstick is the figure that is wanted; an echo of the same body takes ${echoUs.toFixed(0)} µs`,
    ],
  }
}
