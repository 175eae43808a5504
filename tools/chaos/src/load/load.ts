import type { Time } from '@palanquin/demo/pilgrim/actions'
import { drive } from '@palanquin/demo/pilgrim/drive'
import { planPilgrim } from '@palanquin/demo/pilgrim/pilgrim'
import type { Sender } from '@palanquin/demo/send'
import type { LineStub } from '@palanquin/line-simulator/stub'
import type { Api } from '@palanquin/stack/api'
import type { Ledger } from '@palanquin/testing/faults/ledger'
import { seededRandom } from '@palanquin/testing/random'
import { openChat } from './chat.ts'
import { openPhones, withFewerCheckins } from './phones.ts'
import { type Sent, sendPushes } from './pushes.ts'
import { openRetries } from './retry-until-answered.ts'

/** Each lane is a place where another participant checks in every EVERY_MS. */
const LANES = 6
const EVERY_MS = 250

/** Participants who check in once: background load beside the pilgrims. */
async function sendSingleCheckins(
  sender: Pick<Sender, 'checkin'>,
  prefix: string,
  isRunning: () => boolean,
): Promise<void> {
  const lane = async (place: number) => {
    const all: Promise<unknown>[] = []
    for (let person = 0; isRunning(); person++) {
      const userId = `${prefix}-${place}-${person}`
      const [lat, lng] = [23.6 + place / 50, 120.3 + (person % 5_000) / 50_000]
      const point = {
        lat,
        lng,
        recordedAt: Date.now(),
        accuracy: 8,
        speed: null,
        altitude: null,
        heading: null,
      }
      all.push(sender.checkin(userId, point))
      await Bun.sleep(EVERY_MS)
    }
    await Promise.all(all)
  }
  await Promise.all(Array.from({ length: LANES }, (_, place) => lane(place)))
}

/** Simulated hours in a run at most: points may be up to 30 days old, and more of them show nothing new. */
const HOURS_MAX = 12
const SPEED_MAX = 600
const HOUR_MS = 3_600_000

type World = { api: Api; line: LineStub; ledger: Ledger; signal: AbortSignal }

/** The whole load: pilgrims of the demo, single check-ins, chat users, and an organiser. */
export function openLoad(
  { seed, participants, lastsMs }: { seed: number; participants: number; lastsMs: number },
  { api, line, ledger, signal }: World,
) {
  const retries = openRetries(signal)
  const phones = openPhones(api, ledger, retries)
  const { sender } = phones
  const chat = openChat({ line, sender, ledger, retries })
  const pushes: Sent[] = []
  const time: Time = { beginMs: Date.now(), lastsMs, speed: speedOf(lastsMs) }
  const isRunning = () => Date.now() < time.beginMs + lastsMs
  const pilgrims = Array.from({ length: participants }, (_, index) =>
    withFewerCheckins(planPilgrim(`pilgrim-${seed}`, index, { seed, time })),
  )
  const never = new AbortController().signal
  return {
    retries,
    phones,
    chat,
    pushes,
    /** Resolves when every request is answered. */
    run: async (): Promise<void> => {
      await Promise.all([
        chat.walk(seededRandom(seed), isRunning),
        sendPushes(api, { to: chat.followers, sent: pushes, isRunning }),
        sendSingleCheckins(sender, `passer-${seed}`, isRunning),
        ...pilgrims.map((pilgrim) =>
          drive(pilgrim, { sender, beginMs: time.beginMs, moved: () => {}, now: Date.now, signal: never }),
        ),
      ])
    },
  }
}

const speedOf = (lastsMs: number): number => Math.min(SPEED_MAX, Math.floor((HOURS_MAX * HOUR_MS) / lastsMs))
