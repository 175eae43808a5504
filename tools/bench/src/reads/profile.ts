import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, type Figure, ROUNDS } from '../benchmark.ts'
import { load, loadByGenerator } from '../load/load.ts'
import { countStored } from '../measure/count-stored.ts'
import { costNote, measureRound, untilQuiet } from '../measure/rounds.ts'
import { usedByStack } from '../measure/server-cpu.ts'
import { BENCH_SETTINGS } from '../settings.ts'
import { measureReads } from './measure-reads.ts'

const CONNECTIONS = 64
/** As in `checkin`; more than 448 reads at once are refused for now. */
const CONNECTIONS_MAX = 256
const WANTED = 0.3
const USER_ID = 'U0123456789abcdef0123456789abcdef'
/** Each is read once, so that none is cached; the round before the first warms up as many. */
const UNCACHED_A_ROUND = 4_000
const QUICK_UNCACHED = 100
const UNCACHED_US_MAX = 350

/**
 * A participant's profile from the cache, against the same bytes from memory; and the cost of one that is
 * not cached.
 */
export const profile: Benchmark = {
  name: 'profile',
  question: `GET /user/{userId} from the cache, through gateway and engagement, against the same bytes from a bare TLS Bun.serve; and the processor time of one that is not cached, against ${UNCACHED_US_MAX} µs`,
  better: 'more',
  wanted: WANTED,
  run: async (_, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    try {
      const participant = { userId: USER_ID, displayName: '阿明', lat: 24.1, lng: 120.6 }
      await stack.api.post('/user/sync', participant)
      await stack.api.post('/checkin', participant)
      await stack.api.flush()
      await stack.api.profile(USER_ID)
      const path = `${new URL(stack.api.base).pathname}/user/${USER_ID}`
      const measure = (connections: number) =>
        measureReads(stack, { path, from: 'memory', connections, quick })
      const measured = await measure(CONNECTIONS)
      const crowd = await measure(CONNECTIONS_MAX)
      return {
        ...measured,
        also: [
          { name: `profile, ${CONNECTIONS_MAX} connections`, better: 'more', wanted: WANTED, ...crowd },
          await uncached(stack, quick ? QUICK_UNCACHED : UNCACHED_A_ROUND),
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

/** Participants who have checked in, each read once: the processor time of all servers. */
async function uncached(stack: ThrowawayStack, people: number): Promise<Figure> {
  const { url, caFile } = stack.running()
  const plan = { caFile, connections: 16, forMs: Number.MAX_SAFE_INTEGER, requests: people } as const
  const used = usedByStack(stack)
  const turns = []
  for (let round = 0; round <= ROUNDS; round++) {
    const first = round * people
    await loadByGenerator({ ...plan, url: `${url}/api/event/checkin`, kind: 'checkin', first }, 202)
    await stack.api.flush()
    await countStored(stack, first + people + 1)
    // What a flush leaves to the others (events, the map's totals) is no part of a read.
    await untilQuiet(used)
    const drive = () => load({ ...plan, url: `${url}/api/event/user/`, kind: 'profile', first }, 200)
    const turn = await measureRound({ drive, used })
    if (round > 0) turns.push(turn) // statements are prepared now
  }
  return {
    name: 'profile, not cached',
    better: 'less',
    wanted: 1,
    unit: 'µs of a processor',
    ours: turns.map(({ cpuUs }) => cpuUs),
    yardstick: turns.map(() => UNCACHED_US_MAX),
    notes: ['the yardstick is the figure that is wanted', costNote({ ours: turns, yardstick: [] })],
  }
}
