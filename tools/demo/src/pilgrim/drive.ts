import type { Sender } from '../send.ts'
import { type Action, type SentPoint, SYNC_POINTS_MAX } from './actions.ts'
import type { Pilgrim } from './pilgrim.ts'

type Drive = { sender: Sender; beginMs: number; moved: () => void; now: () => number; signal: AbortSignal }

/** Replays a pilgrim from registration to the last sync, each action at its time. */
export async function drive(pilgrim: Pilgrim, { sender, beginMs, moved, now, signal }: Drive): Promise<void> {
  const { userId, displayName, language } = pilgrim
  await sender.profile(userId, { displayName, language })
  if (pilgrim.consent) await sender.consent(userId, true)
  for (let next = 0; next < pilgrim.actions.length; ) {
    const action = pilgrim.actions[next]
    if (!action) break
    await Bun.sleep(Math.max(0, beginMs + action.atMs - now()))
    if (signal.aborted) return
    const gathered = action.kind === 'sync' ? gather(pilgrim.actions.slice(next), now() - beginMs) : []
    if (action.kind === 'checkin') await sender.checkin(userId, action.point)
    else await sender.sync(userId, gathered.flat())
    for (let done = 0; done < Math.max(1, gathered.length); done++) moved()
    next += Math.max(1, gathered.length)
  }
  if (pilgrim.survey) await sender.survey(userId, pilgrim.survey)
}

/** The first sync, and the following ones that are due by now. */
function gather(actions: readonly Action[], dueMs: number): SentPoint[][] {
  const batches: SentPoint[][] = []
  let [points, upTo] = [0, Number.NEGATIVE_INFINITY]
  for (const action of actions) {
    if (action.kind !== 'sync') break
    const { points: batch, atMs } = action
    const isNext = (batch[0]?.recordedAt ?? upTo) > upTo && atMs <= dueMs
    if (batches.length > 0 && (!isNext || points + batch.length > SYNC_POINTS_MAX)) break
    batches.push(batch)
    points += batch.length
    upTo = batch.at(-1)?.recordedAt ?? upTo
  }
  return batches
}
