import type { LineMessage } from '@palanquin/line-messages/types'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Inbound } from '../inbox/inbound.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import { plain } from './messages/plain.ts'
import type { Texts } from './texts/texts.ts'

/** Buttons stay in a chat for ever; a yes is one to the question that was just put. */
const YES_MS_MAX = 10 * 60_000

/**
 * Erases a participant who proved by their LINE account that it is they, and said yes. Where it cannot be finished now
 * they are told so, and it is tried again until it is done.
 * @throws StoreUnavailable: to be told again
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
