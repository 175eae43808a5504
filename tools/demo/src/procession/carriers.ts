import type { Place } from '@palanquin/domain/geo'
import { displaced, routeAlong } from '@palanquin/testing/route'
import type { SentPoint, Time } from '../pilgrim/actions.ts'
import type { Sender } from '../send.ts'
import { CARRIERS } from './guide.ts'
import { routePlaces } from './route.ts'

/** A palanquin is fast: pilgrims have trouble keeping up. */
const PALANQUIN_KMH = 4
/** Ten syncs a minute are the limit of a phone. */
const SYNC_EVERY_MS = 7_000
const FIXES_PER_SYNC = 3
/** A carrier that says nothing is replaced after this (domain, beacon). */
const REPLACED_AFTER_MS = 30_000
const HOUR_MS = 3_600_000

type Turn = { userId: string; silentAtMs: number; place: (atMs: number) => Place }

/** The phones of the palanquin. */
export function planCarriers({ lastsMs, speed }: Pick<Time, 'lastsMs' | 'speed'>): Turn[] {
  const route = routeAlong(routePlaces())
  const silent = [lastsMs / 2, (lastsMs * 3) / 4 + REPLACED_AFTER_MS, Number.POSITIVE_INFINITY]
  return CARRIERS.map((userId, index) => ({
    userId,
    silentAtMs: silent[index] ?? Number.POSITIVE_INFINITY,
    place: (atMs) =>
      displaced(route.placeAt((atMs * speed * PALANQUIN_KMH) / HOUR_MS), { northM: index * 2, eastM: index }),
  }))
}

/** The fixes of a phone between two syncs, in milliseconds after the start of the demo. */
export function fixesOf(
  turn: Turn,
  { fromMs, toMs, beginMs }: { fromMs: number; toMs: number; beginMs: number },
) {
  const everyMs = (toMs - fromMs) / FIXES_PER_SYNC
  return Array.from({ length: FIXES_PER_SYNC }, (_, index): SentPoint => {
    const atMs = fromMs + (index + 1) * everyMs
    return {
      ...turn.place(atMs),
      recordedAt: Math.round(beginMs + atMs),
      accuracy: 6,
      speed: PALANQUIN_KMH,
      altitude: null,
      heading: null,
    }
  })
}

/** Sends the fixes of all phones until the demo ends. */
export async function carryPalanquin(
  time: Time,
  { sender, now, signal }: { sender: Sender; now: () => number; signal: AbortSignal },
): Promise<void> {
  await Promise.all(
    planCarriers(time).map(async (turn) => {
      const endMs = Math.min(turn.silentAtMs, time.lastsMs)
      let sentMs = 0
      while (sentMs < endMs && !signal.aborted) {
        const atMs = Math.min(sentMs + SYNC_EVERY_MS, endMs)
        await Bun.sleep(Math.max(0, time.beginMs + atMs - now()))
        await sender.sync(turn.userId, fixesOf(turn, { fromMs: sentMs, toMs: atMs, beginMs: time.beginMs }))
        sentMs = atMs
      }
    }),
  )
}
