import type { messagingApi } from '@line/bot-sdk'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Inbound } from '../inbox/inbound.ts'
import type { Engagement } from '../service-clients/engagement.ts'
import { type AnswerOptions, answerTo, chooseLanguage, type Recipient } from './answers.ts'
import { plain } from './messages/plain.ts'
import { quickReplies, withQuickReplies } from './messages/quick-replies.ts'
import type { Texts } from './texts/texts.ts'
import { TEXTS } from './texts/texts.ts'
import { actionOf } from './vocabulary/postback.ts'

/** Buttons stay in a chat for ever; a confirmation counts for the request that was just made. */
const YES_MS_MAX = 10 * 60_000

/** Erases an authenticated participant who confirmed it, or tells them that it is retried. @throws StoreUnavailable */
async function eraseAccount(
  {
    engagement,
    reply,
  }: { engagement: Engagement; reply: (messages: messagingApi.Message[]) => Promise<void> },
  { userId, askedMs, event, texts }: { userId: string; askedMs: number; event: Inbound; texts: Texts },
): Promise<messagingApi.Message[]> {
  if (event.atMs - askedMs > YES_MS_MAX) return [plain(texts.eraseTooLate)]
  try {
    await engagement.erase(userId, event.id)
  } catch (error) {
    if (error instanceof StoreUnavailable) await reply([plain(texts.erasing)])
    throw error
  }
  return [plain(texts.erased)]
}

/** Carries out the action of a button and returns the reply. @throws StoreUnavailable */
export async function answerToButton(
  data: string,
  options: AnswerOptions,
  { reply, ...recipient }: Recipient & { reply: (messages: messagingApi.Message[]) => Promise<void> },
): Promise<messagingApi.Message[]> {
  const { userId, language, event } = recipient
  const texts = TEXTS[language]
  const action = actionOf(data)
  if (!action) return withQuickReplies([plain(texts.oldButton)], quickReplies.all(texts, language))
  if (action.action === 'choose') return chooseLanguage(action.language, options, recipient)
  if (action.action === 'erase-no')
    return withQuickReplies([plain(texts.notErased)], quickReplies.next(texts))
  if (action.action === 'erase-yes') {
    const { engagement } = options
    return eraseAccount({ engagement, reply }, { userId, askedMs: action.askedMs, event, texts })
  }
  return answerTo({ command: action.action }, options, recipient)
}
