import type { messagingApi } from '@line/bot-sdk'
import type { Language, Localized } from '@palanquin/domain/language'
import { linkMessage, plain } from './messages/plain.ts'
import { TEXTS } from './texts/texts.ts'
import { commandOf } from './vocabulary/recognise.ts'
import { type WhereOptions, whereMessage } from './where.ts'

/** Pages that are public: the reply is the same for all. */
const PUBLIC = ['map', 'survey', 'feedback', 'lost'] as const

type GroupOptions = WhereOptions & { eventName: Localized<string> }

/** A short reply to a group; nothing personal, and it registers no participant. */
export async function answerInGroup(
  text: string,
  context: GroupOptions,
  { language, eventId }: { language: Language; eventId: string },
): Promise<messagingApi.Message[]> {
  const { links, eventName } = context
  const texts = TEXTS[language]
  const request = commandOf(text)
  if (request?.command === 'where') return [await whereMessage(context, { language, eventId })]
  const page = PUBLIC.find((name) => name === request?.command)
  const uri = page && links.page(page)
  if (page) return [uri ? linkMessage(texts.links[page], uri) : plain(texts.links[page].missing)]
  const isPersonal = request && request.command !== 'help'
  return [plain(isPersonal ? texts.groupPrivate : texts.groupHelp(eventName[language]))]
}
