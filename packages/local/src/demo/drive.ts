import type { Pilgrim } from './pilgrim.ts'
import type { Sender } from './send.ts'
import type { Tally } from './tally.ts'

const SURVEY_ANSWERS = {
  q1: ['搬水給香客', 'helped somebody up'],
  q2: '停駕的那一刻',
  q3: { hsr: 165, bus: 12.5 },
  q4: ['own cup', 'own chopsticks'],
  q5: 1,
  q6: 'vegetarian',
  q7: 2,
  q8: 3,
  q9: 4,
  q10: null,
}

type Drive = {
  sender: Sender
  tally: Tally
  beginMs: number
  moved: () => void
  now: () => number
  signal: AbortSignal
}

/** One pilgrim from enrolment to the last sync, each thing at its time. */
export async function drive(
  pilgrim: Pilgrim,
  { sender, tally, beginMs, moved, now, signal }: Drive,
): Promise<void> {
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
  // Once one answer says that surveys are not built yet, nobody else asks.
  if (pilgrim.takesSurvey && tally.count('survey', 501) === 0) await sender.survey(userId, SURVEY_ANSWERS)
}
