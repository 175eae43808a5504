import { randomUUID } from 'node:crypto'
import { BatchLoader } from '@palanquin/service/batch-loader'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import type { Service } from '../proxy/service.ts'
import type { IsKnown } from './new-participants.ts'

/** Where tracking tells who takes part. */
const KNOWN_PATH = '/internal/known'
/** Tracking looks them up in its memory; who waits longer is let through uncounted. */
const DEADLINE_MS = 300
/** After it did not answer, nobody waits for it for so long. */
const PAUSE_MS = 1_000
/** Two commands of Redis for each whom it has no row of: a millisecond. */
const USERS_PER_CALL = 200

/** Asks tracking whether participants are known, those of one turn of the event loop in one call. */
export function knownParticipants({
  tracking,
  internalToken,
  log,
}: {
  tracking: Pick<Service, 'call'>
  internalToken: string
  log: Log
}): IsKnown {
  let isAway = false
  let askAgainAtMs = 0
  const note = (away: boolean, reason?: unknown) => {
    if (away === isAway) return
    isAway = away
    if (away)
      log.warn(
        { event: 'limits.known_participants_away', reason: String(reason) },
        'new participants are not counted: tracking does not tell who takes part',
      )
    else log.info({ event: 'limits.known_participants_back' }, 'new participants are counted again')
  }

  const askAll = async (userIds: readonly string[]): Promise<boolean[]> => {
    const headers = {
      [INTERNAL_TOKEN_HEADER]: internalToken,
      [REQUEST_ID_HEADER]: randomUUID(),
      'content-type': 'application/json',
    }
    const call = { method: 'POST', target: KNOWN_PATH, headers, body: JSON.stringify({ userIds }) }
    try {
      const outcome = await tracking.call(call, {
        deadlineMs: DEADLINE_MS,
        repeatable: true,
        hold: false,
        priority: 'critical',
      })
      if (typeof outcome === 'string') throw new Error(outcome)
      const known = knownOf(await new Response(outcome.body).json(), userIds.length)
      if (!known) throw new Error(`tracking answered ${outcome.status}`)
      note(false)
      return known
    } catch (error) {
      askAgainAtMs = performance.now() + PAUSE_MS
      note(true, error)
      throw error
    }
  }
  const together = new BatchLoader({ loadAll: askAll, sizeMax: USERS_PER_CALL })
  return async (userId) => {
    if (performance.now() < askAgainAtMs) throw new Error('tracking did not tell a moment ago')
    return together.load(userId)
  }
}

/** `{data: {known: [0, 1, …]}}`, as many as were asked for. */
function knownOf(said: unknown, count: number): boolean[] | undefined {
  const { data } = Object(said)
  const { known } = Object(data)
  return Array.isArray(known) && known.length === count ? known.map((one) => one === 1) : undefined
}
