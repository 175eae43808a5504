import { anyCopy } from '@palanquin/service/http/copies'
import { INTERNAL_TOKEN_HEADER } from '@palanquin/service/http/headers'
import type { Log } from '@palanquin/service/log'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { held } from '../held.ts'

/** It answers from memory; whoever asks what the event offers does not wait for longer. */
const ASK_DEADLINE_MS = 500
/** What a process is configured with changes with its restart at most. */
const KNOWN_TTL_MS = 60_000
const UNKNOWN_TTL_MS = 2_000

/** Whether there is a LINE bot. */
export type HasLine = () => Promise<boolean>

const answers = Compile(Type.Object({ ok: Type.Literal(true), data: Type.Object({ line: Type.Boolean() }) }))

/** Asks the line-bot; what it said last while it is away, and false before it ever said anything. */
export function hasLineAt({
  url,
  internalToken,
  log,
}: {
  url: string
  internalToken: string
  log: Log
}): HasLine {
  const ask = anyCopy(url)
  let known: boolean | null = null
  const read = async (): Promise<boolean> => {
    try {
      const answer = await ask('/internal/features', {
        headers: { [INTERNAL_TOKEN_HEADER]: internalToken },
        signal: AbortSignal.timeout(ASK_DEADLINE_MS),
      })
      const said: unknown = await answer.json()
      if (!answers.Check(said)) throw new Error(`it answered ${answer.status}`)
      known = said.data.line
      return true
    } catch (error) {
      log.debug({ reason: String(error) }, 'the line-bot did not say whether it is configured')
      return false
    }
  }
  const refresh = held(read, (isKnown) => (isKnown ? KNOWN_TTL_MS : UNKNOWN_TTL_MS))
  return async () => {
    const refreshed = refresh()
    if (known === null) await refreshed
    return known ?? false
  }
}
