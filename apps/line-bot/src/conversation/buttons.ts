import type { LineMessage } from '@palanquin/line-messages/types'
import type { What } from '../inbox/inbound.ts'
import { type AnswerOptions, answerTo, chooseLanguage, type Recipient } from './answers.ts'
import { eraseAccount } from './erase-account.ts'
import { plain } from './messages/plain.ts'
import { quickReplies, withQuickReplies } from './messages/quick-replies.ts'
import { TEXTS } from './texts/by-language.ts'
import { actionOf } from './vocabulary/postback.ts'

/** Carries out the action of a button and returns the reply. `reply` sends one before. @throws StoreUnavailable */
export async function answerToButton(
  data: string,
  options: AnswerOptions,
  { reply, ...recipient }: Recipient & { reply: (messages: LineMessage[]) => Promise<void> },
): Promise<LineMessage[]> {
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

/** Whether an event confirms an erasure. */
export const isErasure = (what: What): boolean =>
  what.type === 'postback' && actionOf(what.data)?.action === 'erase-yes'
