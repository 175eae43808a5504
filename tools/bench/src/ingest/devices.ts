import { dataOf } from '@palanquin/stack/api'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import Type from 'typebox'
import { type Benchmark, median, ROUNDS } from '../benchmark.ts'
import { load, loadByGenerator } from '../load/load.ts'
import type { LoadPlan } from '../load/plan.ts'
import type { Devices } from '../load/requests.ts'
import { countStored } from '../measure/count-stored.ts'
import { alternateRounds, costNote, latencyOf, type RoundResults, throughputOf } from '../measure/rounds.ts'
import { usedByProcess, usedByStack } from '../measure/server-cpu.ts'
import { startYardstick, type Yardstick } from '../measure/yardstick.ts'
import { BENCH_SETTINGS } from '../settings.ts'

const PEOPLE = 500
const QUICK_PEOPLE = 20
const CONNECTIONS = 64
/** Fewer than the unknown tokens that an address may try in a minute: each is known after its first point. */
const FIRST_CONNECTIONS = 16
const ROUND_MS = 3_000
const QUICK_ROUND_MS = 400
/** An app's queue of the last days: the seconds of all rounds are long over, and not too old. */
const BEGAN_BEFORE_S = 7 * 86_400
/** What OwnTracks' own recorder stored with 500 users, as it was written down once: it is not measured here. */
const RECORDER_PER_SECOND = 190
const TIMES_RECORDER_WANTED = 40

/** Fixes of OwnTracks, one a request, each phone with its own write token, against a TLS echo under the same load. */
export const devices: Benchmark = {
  name: 'devices',
  question: `fixes of OwnTracks answered 200 through /in/owntracks (limits and journal on, ${PEOPLE} people with a write token each, one fix a request), against a bare TLS echo of Bun: same load, same bodies, ${CONNECTIONS} connections`,
  better: 'more',
  run: async (log, { quick }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    const echo = await startYardstick({ caFile: stack.running().caFile })
    try {
      const phones = await issued(stack, quick ? QUICK_PEOPLE : PEOPLE)
      const drive = fixesOf(stack, { echo, phones, forMs: quick ? QUICK_ROUND_MS : ROUND_MS })
      await drive.first()
      const rounds = await drive.rounds(log)
      await stack.api.flush()
      const stored = await countStored(stack, drive.acknowledged(), { people: phones.tokens.length })
      const measured = throughputOf(rounds)
      return {
        ...measured,
        notes: [
          latencyNote(rounds),
          costNote(rounds),
          `all ${stored} that were answered 200 are in PostgreSQL, of ${phones.tokens.length} people`,
        ],
        also: [
          {
            name: 'devices, times a recorder',
            better: 'more',
            wanted: TIMES_RECORDER_WANTED,
            unit: measured.unit,
            ours: measured.ours,
            yardstick: measured.ours.map(() => RECORDER_PER_SECOND),
            notes: [
              `the yardstick is a figure that was written down, ${RECORDER_PER_SECOND} requests/s of OwnTracks' recorder; bench peer measures one that runs`,
            ],
          },
        ],
      }
    } finally {
      await echo.stop()
      await stack.close()
    }
  },
}

const SignedIn = Type.Object({ userId: Type.String() })
const Issued = Type.Object({ token: Type.String() })

/** People who signed in and set up a phone each. */
async function issued({ api, running }: ThrowawayStack, people: number): Promise<Devices> {
  const origin = running().url
  const tokens: string[] = []
  for (let n = 0; n < people; n++) {
    const session = await api.post('/session', { device: true })
    const { userId } = dataOf(SignedIn, session)
    const headers = { cookie: session.headers.get('set-cookie')?.split(';')[0] ?? '', origin }
    const issuing = await api.post('/devices', { userId, app: 'owntracks' }, { headers })
    tokens.push(dataOf(Issued, issuing).token)
  }
  return { tokens, firstS: Math.floor(Date.now() / 1_000) - BEGAN_BEFORE_S }
}

/** Fixes and echoes of the same bodies; the fixes of a phone are of different seconds. */
function fixesOf(
  stack: ThrowawayStack,
  { echo, phones, forMs }: { echo: Yardstick; phones: Devices; forMs: number },
) {
  const { caFile, url } = stack.running()
  let acknowledged = 0
  const plan = { caFile, kind: 'owntracks', devices: phones, connections: CONNECTIONS, forMs } as const
  const send = async (how: typeof load, over: Partial<LoadPlan> = {}) => {
    const result = await how({ ...plan, url: `${url}/in/owntracks`, first: acknowledged, ...over }, 200)
    acknowledged += result.sent
    return result
  }
  /** A first fix of each phone. */
  const first = () =>
    send(loadByGenerator, {
      connections: FIRST_CONNECTIONS,
      requests: phones.tokens.length,
      forMs: Number.MAX_SAFE_INTEGER,
    })
  const rounds = async (log: (line: string) => void): Promise<RoundResults> => {
    const ours = { drive: () => send(load), used: usedByStack(stack) }
    const yardstick = {
      drive: () => load({ ...plan, url: echo.url, first: acknowledged }, 200),
      used: usedByProcess('echo', echo.pid),
    }
    await alternateRounds(1, { ours, yardstick }) // the first round warms up
    return alternateRounds(ROUNDS, { ours, yardstick }, (round, last) =>
      log(
        `round ${round} of ${ROUNDS}: ${Math.round(last.ours.perSecond)} of ${Math.round(last.yardstick.perSecond)} requests/s`,
      ),
    )
  }
  return { first, rounds, acknowledged: () => acknowledged }
}

function latencyNote(rounds: RoundResults): string {
  const [p50, p99] = [latencyOf(rounds, 'p50Ms'), latencyOf(rounds, 'p99Ms')]
  return `p50 ${median(p50.ours).toFixed(1)} ms and p99 ${median(p99.ours).toFixed(1)} ms, those of the echo ${median(p50.yardstick).toFixed(1)} and ${median(p99.yardstick).toFixed(1)}`
}
