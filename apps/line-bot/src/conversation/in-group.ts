import type { Language } from '@palanquin/domain/participant'
import type { LineMessage } from '@palanquin/line-messages/types'
import type { Links } from './links.ts'
import { linkMessage, plain } from './messages/plain.ts'
import { TEXTS } from './texts/by-language.ts'
import { commandOf } from './vocabulary/commands.ts'

/** Commands that are public: their reply is the same for all. */
const PUBLIC = ['map', 'survey', 'feedback'] as const

/** A short reply to a group that addressed the bot; nothing personal, and it registers no participant. */
export function answerInGroup(
  text: string,
  { language, links, event }: { language: Language; links: Links; event: string },
): LineMessage[] {
  const texts = TEXTS[language]
  const request = commandOf(text)
  const page = PUBLIC.find((name) => name === request?.command)
  const uri = page && links.page(page)
  if (page) return [uri ? linkMessage(texts.links[page], uri) : plain(texts.links[page].missing)]
  return [plain(request && request.command !== 'help' ? texts.groupPrivate : texts.groupHelp(event))]
}
