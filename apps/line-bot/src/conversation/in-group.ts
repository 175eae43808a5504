import type { Language } from '@palanquin/domain/participant'
import type { LineMessage } from '@palanquin/line-messages/types'
import type { Links } from './links.ts'
import { linkMessage, plain } from './messages/plain.ts'
import { TEXTS } from './texts/by-language.ts'
import { commandOf } from './vocabulary/commands.ts'

/** What may be asked where everybody reads along: what is the same for all. */
const PUBLIC = ['map', 'survey', 'feedback'] as const

/** A short answer to a group that addressed the bot; nothing personal, and nobody becomes a participant by it. */
export function answerInGroup(
  text: string,
  { language, links, event }: { language: Language; links: Links; event: string },
): LineMessage[] {
  const texts = TEXTS[language]
  const asked = commandOf(text)
  const page = PUBLIC.find((name) => name === asked?.command)
  const uri = page && links.page(page)
  if (page) return [uri ? linkMessage(texts.links[page], uri) : plain(texts.links[page].missing)]
  return [plain(asked && asked.command !== 'help' ? texts.groupPrivate : texts.groupHelp(event))]
}
