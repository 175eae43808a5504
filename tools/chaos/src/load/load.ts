import type { Time } from '@palanquin/demo/pilgrim/actions'
import { drive } from '@palanquin/demo/pilgrim/drive'
import { planPilgrim } from '@palanquin/demo/pilgrim/pilgrim'
import type { LineStub } from '@palanquin/line-simulator/stub'
import type { Api } from '@palanquin/stack/api'
import type { Ledger } from '@palanquin/testing/faults/ledger'
import { seededRandom } from '@palanquin/testing/random'
import { openChat } from './chat.ts'
import { openPhones, withFewerCheckins } from './phones.ts'
import { type Sent, sendPushes } from './pushes.ts'
import { openRetries } from './retry-until-answered.ts'
import { sendSingleCheckins } from './single-checkins.ts'

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
