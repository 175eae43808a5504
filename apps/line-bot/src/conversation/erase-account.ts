import type { LineMessage } from '@palanquin/line-messages/types'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Inbound } from '../inbox/inbound.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import { plain } from './messages/plain.ts'
import type { Texts } from './texts/texts.ts'

/** Buttons stay in a chat for ever; a confirmation counts for the request that was just made. */
const YES_MS_MAX = 10 * 60_000

/**
 * Erases a participant who is authenticated by their LINE account and confirmed it. Where it cannot be finished now
 * they get a message, and it is retried until it is done.
 * @throws StoreUnavailable: to be called again
 */
export async function eraseAccount(
  { engagement, reply }: { engagement: Engagement; reply: (messages: LineMessage[]) => Promise<void> },
  { userId, askedMs, event, texts }: { userId: string; askedMs: number; event: Inbound; texts: Texts },
): Promise<LineMessage[]> {
  if (event.atMs - askedMs > YES_MS_MAX) return [plain(texts.eraseTooLate)]
  try {
    await engagement.erase(userId, event.id)
  } catch (error) {
    if (error instanceof StoreUnavailable) await reply([plain(texts.erasing)])
    throw error
  }
  return [plain(texts.erased)]
}
