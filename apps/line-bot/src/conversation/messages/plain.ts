import type { messagingApi } from '@line/bot-sdk'
import type { Texts } from '../texts/texts.ts'
import { postbackData } from '../vocabulary/postback.ts'
import { COLOURS } from './colours.ts'

export const plain = (text: string): messagingApi.Message => ({ type: 'text', text })

/** A title, a sentence, and one large button that opens a page. */
export const linkMessage = (
  { title, text, open }: { title: string; text: string; open: string },
  uri: string,
  altText = `${title}\n${uri}`,
): messagingApi.Message => ({
  type: 'flex',
  altText,
  contents: {
    type: 'bubble',
    size: 'kilo',
    body: {
      type: 'box',
      layout: 'vertical',
      spacing: 'md',
      contents: [
        { type: 'text', text: title, weight: 'bold', size: 'lg', color: COLOURS.ink, wrap: true },
        { type: 'text', text, size: 'md', color: COLOURS.quiet, wrap: true },
      ],
    },
    footer: pageButton(open, uri),
  },
})

/** The foot of a bubble: one large button that opens a page. */
export const pageButton = (label: string, uri: string): messagingApi.FlexBox => ({
  type: 'box',
  layout: 'vertical',
  contents: [
    { type: 'button', style: 'primary', color: COLOURS.vermilion, action: { type: 'uri', label, uri } },
  ],
})

/** The picture of a card, and how to keep it. */
export const cardMessages = (texts: Texts, url: string): messagingApi.Message[] => [
  { type: 'image', originalContentUrl: url, previewImageUrl: url },
  plain(texts.card),
]

/** Asks for confirmation. `askedMs` bounds how long it counts. */
export const eraseQuestion = (texts: Texts, askedMs: number): messagingApi.Message => ({
  type: 'template',
  altText: texts.eraseQuestion,
  template: {
    type: 'confirm',
    text: texts.eraseQuestion,
    actions: [
      {
        type: 'postback',
        label: texts.eraseYes,
        data: postbackData({ action: 'erase-yes', askedMs }),
        displayText: texts.eraseYes,
      },
      {
        type: 'postback',
        label: texts.eraseNo,
        data: postbackData({ action: 'erase-no' }),
        displayText: texts.eraseNo,
      },
    ],
  },
})
