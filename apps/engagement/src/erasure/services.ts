import { EVENT_DATA } from '@palanquin/domain/events'
import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'

/** How many of each were erased; every service names its own. */
export const Counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
  description: 'how many of each were erased',
})
export type Counts = Static<typeof Counts>

/** What a service answers to `POST /internal/erase`; tracking alone knows what its other processes are to be told. */
const Part = Type.Object({ erased: Counts, tell: Type.Optional(EVENT_DATA['participant.erased']) })
export type ErasedPart = Static<typeof Part>
const answers = Compile(Type.Object({ ok: Type.Literal(true), data: Part }))

/**
 * One service's part of an erasure, within `leftMs`; null when it could not do it now, and may have done some of it.
 */
export type EraseAtService = (
  userId: string,
  how: { requestId: string; leftMs: number },
) => Promise<ErasedPart | null>

/** Asks a service to erase a participant. `url` is `http://host:port` or `unix:/path`, several copies by comma; reasons of a failure are logged. */
export function eraseAt({
  url,
  deadlineMs,
  internalToken,
  log,
}: {
  url: string
  deadlineMs: number
  internalToken: string
  log: Log
}): EraseAtService {
  const ask = anyCopy(url)
  return async (userId, { requestId, leftMs }) => {
    try {
      const answer = await ask('/internal/erase', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [INTERNAL_TOKEN_HEADER]: internalToken,
          [REQUEST_ID_HEADER]: requestId,
        },
        body: JSON.stringify({ userId }),
        signal: AbortSignal.timeout(Math.max(0, Math.min(deadlineMs, leftMs))),
      })
      const said: unknown = await answer.json()
      if (answer.ok && answers.Check(said)) return said.data
      log.warn({ requestId, service: url, status: answer.status }, 'a part of an erasure was refused')
    } catch (error) {
      log.warn({ requestId, service: url, reason: String(error) }, 'a part of an erasure did not answer')
    }
    return null
  }
}
