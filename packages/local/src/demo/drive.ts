import type { Pilgrim } from './pilgrim.ts'
import type { Sender } from './send.ts'

type Drive = {
  sender: Sender
  beginMs: number
  moved: () => void
  now: () => number
  signal: AbortSignal
}

/** One pilgrim from enrolment to the last sync, each thing at its time. */
export async function drive(pilgrim: Pilgrim, { sender, beginMs, moved, now, signal }: Drive): Promise<void> {
  const { userId, displayName, language } = pilgrim
  await sender.profile(userId, { displayName, language })
  if (pilgrim.consent) await sender.consent(userId, true)
  for (const action of pilgrim.actions) {
    await Bun.sleep(Math.max(0, beginMs + action.atMs - now()))
    if (signal.aborted) return
    if (action.kind === 'sync') await sender.sync(userId, action.points)
    else await sender.checkin(userId, action.point)
    moved()
  }
  if (pilgrim.survey) await sender.survey(userId, pilgrim.survey)
}
