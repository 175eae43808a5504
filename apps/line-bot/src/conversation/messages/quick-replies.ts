import type { messagingApi } from '@line/bot-sdk'
import { type Language, otherLanguage } from '@palanquin/domain/language'
import type { Texts } from '../texts/texts.ts'
import type { Command } from '../vocabulary/command.ts'
import { postbackData } from '../vocabulary/postback.ts'

type Named = Extract<keyof Texts['buttons'], Command>

/** The text that LINE shows for a tap on a button: its words, without the picture in front. */
const spoken = (label: string): string => label.replace(/^[^\p{L}\p{N}]+/u, '')

const command = (texts: Texts, name: Named): messagingApi.Action => ({
  type: 'postback',
  label: texts.buttons[name],
  data: postbackData({ action: name }),
  displayText: spoken(texts.buttons[name]),
})

const switchLanguage = (texts: Texts, language: Language): messagingApi.Action => ({
  type: 'postback',
  label: texts.buttons.otherLanguage,
  data: postbackData({ action: 'choose', language: otherLanguage(language) }),
  displayText: spoken(texts.buttons.otherLanguage),
})

/** Buttons for the likeliest next commands, which LINE shows on phones until they are used. */
export const quickReplies = {
  /** Of a welcome and of help: as many as LINE takes, which is 13. */
  all: (texts: Texts, language: Language): messagingApi.Action[] => [
    { type: 'location', label: texts.buttons.sendLocation },
    ...(['where', 'mileage', 'walk', 'card', 'map', 'survey'] as const).map((name) => command(texts, name)),
    { type: 'cameraRoll', label: texts.buttons.sendPhoto },
    ...(['family', 'lost', 'feedback', 'help'] as const).map((name) => command(texts, name)),
    switchLanguage(texts, language),
  ],
  /** After a reply. */
  next: (texts: Texts): messagingApi.Action[] => [
    { type: 'location', label: texts.buttons.sendLocation },
    ...(['where', 'mileage', 'card', 'map', 'help'] as const).map((name) => command(texts, name)),
  ],
  location: (texts: Texts): messagingApi.Action[] => [
    { type: 'location', label: texts.buttons.sendLocation },
    command(texts, 'help'),
  ],
  languages: (): messagingApi.Action[] =>
    (
      [
        ['zh-TW', '中文'],
        ['en', 'English'],
      ] as const
    ).map(([language, label]) => ({
      type: 'postback',
      label,
      data: postbackData({ action: 'choose', language }),
      displayText: label,
    })),
  resume: (texts: Texts): messagingApi.Action[] => [command(texts, 'resume'), command(texts, 'help')],
}

/** The last message of an answer carries the buttons: LINE shows those of no other. */
export function withQuickReplies(
  messages: readonly messagingApi.Message[],
  actions: readonly messagingApi.Action[],
): messagingApi.Message[] {
  if (actions.length === 0) return [...messages]
  const items = actions.map((action) => ({ type: 'action', action }))
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, quickReply: { items } } : message,
  )
}
