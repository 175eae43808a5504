import { BatchLoader } from '@palanquin/service/batch-loader'
import type { Log } from '@palanquin/service/log'
import Type from 'typebox'
import { clientOf } from '../proxy/client.ts'
import type { Service } from '../proxy/service.ts'
import type { IsKnown } from './new-participants.ts'

/** Tracking looks them up in its memory; later than this, new participants are admitted uncounted. */
const DEADLINE_MS = 300
/** After a failure tracking is not asked for so long. */
const PAUSE_MS = 1_000
/** Two commands of Redis for each of whom tracking has no row: a millisecond. */
const USERS_PER_CALL = 200

/** 1 for each participant who is known, in the order of the ids. */
const Known = Type.Object({ known: Type.Array(Type.Integer()) })

/** Asks tracking whether participants are known, those of one event-loop tick in one request. */
export function knownParticipants({
  tracking,
  internalToken,
  log,
  deadlineMs = DEADLINE_MS,
}: {
  tracking: Pick<Service, 'call'>
  internalToken: string
  log: Log
  deadlineMs?: number | undefined
}): IsKnown {
  const client = clientOf({ name: 'tracking', service: tracking, internalToken })
  let isAway = false
  let resumesAtMs = 0
  const note = (away: boolean, reason?: unknown) => {
    if (away === isAway) return
    isAway = away
    if (away)
      log.warn(
        { event: 'limits.known_participants_away', reason: String(reason) },
        'New participants are not counted: tracking does not answer who is known',
      )
    else log.info({ event: 'limits.known_participants_back' }, 'New participants are counted again')
  }

  const loadAll = async (userIds: readonly string[]): Promise<boolean[]> => {
    try {
      const call = { method: 'POST', path: '/internal/known', body: { userIds }, reply: Known } as const
      const reply = await client.call({ ...call, deadlineMs })
      if (!reply.ok) throw new Error(`tracking answered ${reply.status}`)
      const { known } = reply.data
      if (known.length !== userIds.length) throw new Error('tracking answered for other ids')
      note(false)
      return known.map((one) => one === 1)
    } catch (error) {
      resumesAtMs = performance.now() + PAUSE_MS
      note(true, error)
      throw error
    }
  }
  const loader = new BatchLoader({ loadAll, sizeMax: USERS_PER_CALL })
  return async (userId) => {
    if (performance.now() < resumesAtMs) throw new Error('tracking did not answer a moment ago')
    return loader.load(userId)
  }
}
