import { UserId } from '@palanquin/domain/ids'
import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { held } from '../../held.ts'

/** It answers from memory; a list goes without them rather than wait. */
const ASK_DEADLINE_MS = 1_000
/** Within a second of their first point they are there; a list that is read page after page asks seldom. */
const TTL_MS = 250

/** Who may be new, as the map knows them; empty when it does not say. */
export type UnregisteredOnMap = () => Promise<readonly string[]>

const answers = Compile(
  Type.Object({ ok: Type.Literal(true), data: Type.Object({ userIds: Type.Array(UserId) }) }),
)

/** Asks any copy of the map: each of them sees the whole buffer. `url` is `http://host:port` or `unix:/path`, several by comma. */
export function unregisteredOnMap({
  url,
  internalToken,
  log,
}: {
  url: string
  internalToken: string
  log: Log
}): UnregisteredOnMap {
  const ask = anyCopy(url)
  const read = async (): Promise<readonly string[]> => {
    try {
      const answer = await ask('/internal/newcomers', {
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken },
        signal: AbortSignal.timeout(ASK_DEADLINE_MS),
      })
      const said: unknown = await answer.json()
      if (answers.Check(said)) return said.data.userIds
      log.debug({ status: answer.status }, 'the map did not say who is new')
    } catch (error) {
      log.debug({ reason: String(error) }, 'the map did not say who is new')
    }
    return []
  }
  return held(read, () => TTL_MS)
}
