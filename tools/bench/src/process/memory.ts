import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Benchmark, ROUNDS } from '../benchmark.ts'
import { memoryOf } from '../load/cpu.ts'
import { load } from '../load/load.ts'
import { countStored } from '../measure/count-stored.ts'
import { checkInParticipants } from '../reads/map-participants.ts'
import { BENCH_SETTINGS } from '../settings.ts'

const IDLE_MB_MAX = 450
const LOADED_MB_MAX = 900
const AFTERWARDS_MB_MAX = 450
const PARTICIPANTS = 300_000
const QUICK_PARTICIPANTS = 3_000
/** After the start: the first garbage is collected, caches are still empty. */
const SETTLE_MS = 5_000
const LOOK_MS = 500
const CONNECTIONS = 64
/** The whole map is read while participants check in. */
const MAP_EVERY_MS = 1_000
const REST_S = 300
const QUICK_REST_S = 1

/** Memory of the services together, without the stores. */
export const memory: Benchmark = {
  name: 'memory',
  question: `memory of all services together, idle, against ${IDLE_MB_MAX} MB; with ${PARTICIPANTS.toLocaleString('en-US')} people on the map who all check in, as fast as this machine takes them, against ${LOADED_MB_MAX}; and after a rest (--rest SECONDS, default ${REST_S}), against ${AFTERWARDS_MB_MAX}`,
  better: 'less',
  wanted: 1,
  run: async (log, { quick, restS = quick ? QUICK_REST_S : REST_S }) => {
    const stack = await startThrowawayStack(BENCH_SETTINGS)
    try {
      const idle = await idleMb(stack, quick)
      const idleNote = inWords(stack)
      log(`idle: ${idleNote}`)
      const participants = quick ? QUICK_PARTICIPANTS : PARTICIPANTS
      await checkInParticipants(stack, participants)
      log(`${participants} on the map: ${inWords(stack)}`)
      const { mostMb, perSecond, note } = await mostUnderLoad(stack, participants)
      log(`under load: ${note}`)
      await stack.api.flush()
      await countStored(stack, participants, { people: participants })
      await Bun.sleep(restS * 1_000)
      const afterwardsMb = totalMemoryMb(stack)
      return {
        unit: 'MB',
        ours: idle,
        yardstick: idle.map(() => IDLE_MB_MAX),
        notes: [`${idleNote}; the yardsticks are the figures that are wanted`],
        also: [
          {
            name: 'memory under load',
            better: 'less',
            wanted: 1,
            unit: 'MB',
            ours: [mostMb],
            yardstick: [LOADED_MB_MAX],
            notes: [
              `the most at any moment, while ${participants.toLocaleString('en-US')} people on the map checked in at ${Math.round(perSecond)} a second and the whole map was read every second: ${note}`,
              'all of them are in PostgreSQL, each exactly once',
            ],
          },
          {
            name: 'memory afterwards',
            better: 'less',
            wanted: 1,
            unit: 'MB',
            ours: [afterwardsMb],
            yardstick: [AFTERWARDS_MB_MAX],
            notes: [`${restS} s after the flush of all that: ${inWords(stack)}`],
          },
        ],
      }
    } finally {
      await stack.close()
    }
  },
}

async function idleMb(stack: ThrowawayStack, quick: boolean): Promise<number[]> {
  await Bun.sleep(quick ? LOOK_MS : SETTLE_MS)
  const idle: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    idle.push(totalMemoryMb(stack))
    await Bun.sleep(LOOK_MS)
  }
  return idle
}

/** Each participant checks in once while the map is read; returns the highest memory seen. */
async function mostUnderLoad(stack: ThrowawayStack, participants: number) {
  const { url, caFile } = stack.running()
  let [mostMb, note] = [0, '']
  const look = () => {
    const mb = totalMemoryMb(stack)
    if (mb > mostMb) [mostMb, note] = [mb, inWords(stack)]
  }
  const looking = setInterval(look, LOOK_MS)
  let isOver = false
  const reading = readMap(stack, () => isOver)
  try {
    const { perSecond } = await load(
      {
        url: `${url}/api/event/checkin`,
        caFile,
        kind: 'checkin',
        connections: CONNECTIONS,
        first: 0,
        requests: participants,
        forMs: Number.MAX_SAFE_INTEGER,
      },
      202,
    )
    look()
    return { mostMb, perSecond, note }
  } finally {
    isOver = true
    clearInterval(looking)
    await reading
  }
}

async function readMap({ api, running }: ThrowawayStack, isOver: () => boolean): Promise<void> {
  const tls = { ca: await Bun.file(running().caFile).text() }
  while (!isOver()) {
    const answer = await fetch(`${api.base}/data?format=columns`, { tls, decompress: false })
    await answer.arrayBuffer()
    await Bun.sleep(MAP_EVERY_MS)
  }
}

const inWords = ({ running }: ThrowawayStack): string =>
  `${Object.entries(running().services)
    .map(([name, { pid }]) => `${name} ${memoryOf(pid).ownMb.toFixed(0)}`)
    .join(', ')} MB each, and what they share once`

/** Private memory of each, plus the shared program once. */
function totalMemoryMb({ running }: ThrowawayStack): number {
  const each = Object.values(running().services).map(({ pid }) => memoryOf(pid))
  return each.reduce((sum, { ownMb }) => sum + ownMb, 0) + Math.max(...each.map(({ sharedMb }) => sharedMb))
}
