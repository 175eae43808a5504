import type { messagingApi } from '@line/bot-sdk'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { LineClient } from '../line-client/client.ts'
import { takenAtMs } from './location-and-photo.ts'

/** A token is valid for about a minute; after two a reply reaches no one. */
const ANSWER_MS_MAX = 120_000
const TRIES_MAX = 3
const PAUSE_MS = 500

export type Reply = (
  to: { replyToken: string | null; entryId: string },
  messages: readonly messagingApi.Message[],
) => Promise<void>

/** Replies to an event once, free of charge. @throws StoreUnavailable when LINE could not be reached in time */
export function replier({
  client,
  log,
  now,
}: {
  client: Pick<LineClient, 'reply'>
  log: Log
  now: () => number
}): Reply {
  return async ({ replyToken, entryId }, messages) => {
    if (replyToken === null || messages.length === 0) return
    for (let tries = 1; ; tries++) {
      const outcome = await client.reply({ replyToken, messages })
      if (outcome.is === 'ok') return
      if (outcome.is !== 'rate' && outcome.is !== 'unavailable') {
        const isToken = outcome.is === 'invalid' && /reply token/i.test(outcome.sentence)
        if (isToken)
          log.debug({ event: 'reply.token_expired' }, 'A reply token was used before, or is too old')
        else
          log.error(
            { event: 'reply.refused', outcome: outcome.is, types: messages.map(({ type }) => type) },
            'LINE refused a reply',
          )
        return
      }
      if (now() - takenAtMs(entryId) > ANSWER_MS_MAX) return
      if (tries >= TRIES_MAX)
        throw new StoreUnavailable('LINE', new Error(outcome.is === 'rate' ? 'too fast' : outcome.reason))
      await Bun.sleep(PAUSE_MS * tries)
    }
  }
}
