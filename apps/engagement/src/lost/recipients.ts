import { type LostPlace, LostRecipients } from '@palanquin/domain/lost'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import type { ServiceClient } from '@palanquin/service/service-client'

/** The line-bot reads two rows and asks the map, which answers from memory. */
const DEADLINE_MS = 3_000
const NOBODY: LostRecipients = { volunteers: 0, owners: 0 }

/** How many people get a message about a report at this place. */
export type CountRecipients = (place: LostPlace | null) => Promise<LostRecipients>

/** Counts them by the line-bot; none while it or the map is away. */
export const recipientsFromLineBot =
  ({ lineBot, log }: { lineBot: ServiceClient; log: Log }): CountRecipients =>
  async (place) => {
    try {
      const reply = await lineBot.call({
        method: 'POST',
        path: '/internal/lost-recipients',
        body: { places: place === null ? [] : [place] },
        deadlineMs: DEADLINE_MS,
        reply: LostRecipients,
      })
      return reply.ok ? reply.data : NOBODY
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.error({ event: 'lost.recipients_unknown', err: error }, 'Who hears of a report is not known now')
      return NOBODY
    }
  }
