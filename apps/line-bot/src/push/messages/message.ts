import Type, { type TProperties } from 'typebox'
import { type LineMessage, MESSAGES_MAX } from '../../line-client/message.ts'
import { actionAt } from './action.ts'
import { MediaUrl } from './address.ts'
import { container } from './flex.ts'
import { all, each, fieldsOf, type Judge, maybe, rule, shaped, variants } from './judge.ts'
import { template } from './template.ts'

/** LINE's reference, "Message objects"; lengths in UTF-16 units. */
export const TEXT_LENGTH_MAX = 5000
const ALT_TEXT_LENGTH_MAX = 1500
const PLACE_LENGTH_MAX = 100
const QUICK_REPLIES_MAX = 13
const SENDER_NAME_LENGTH_MAX = 20

/** JSON Schema counts code points; LINE counts UTF-16 units, of which an emoji is two. */
const unitsAtMost = (name: string, max: number): Judge =>
  rule((fields) => String(fields[name] ?? '').length <= max, `${name} of at most ${max} UTF-16 units`)

const sentence = (max: number) =>
  Type.String({ minLength: 1, maxLength: max, description: `a text of 1 to ${max} characters` })

const quickReply: Judge = all(
  shaped(Type.Object({ items: Type.Array(Type.Object({ action: Type.Object({}) })) })),
  maybe('items', each(maybe('action', actionAt('quick-reply')), { min: 1, max: QUICK_REPLIES_MAX })),
)
const sender = shaped(
  Type.Object({
    name: Type.Optional(sentence(SENDER_NAME_LENGTH_MAX)),
    iconUrl: Type.Optional(MediaUrl),
  }),
)
const message = (properties: TProperties, ...more: readonly Judge[]): Judge =>
  all(shaped(Type.Object(properties)), ...more, maybe('quickReply', quickReply), maybe('sender', sender))

const text = message({ text: sentence(TEXT_LENGTH_MAX) }, unitsAtMost('text', TEXT_LENGTH_MAX))
const number = Type.String({ pattern: '^[0-9]{1,20}$', description: 'a number written as text' })
const media = { originalContentUrl: MediaUrl, previewImageUrl: MediaUrl }
const altText = sentence(ALT_TEXT_LENGTH_MAX)

const MESSAGES: Record<string, Judge> = {
  text,
  textV2: text,
  sticker: message({ packageId: number, stickerId: number }),
  image: message(media),
  video: message(media),
  audio: message({
    originalContentUrl: MediaUrl,
    duration: Type.Integer({ minimum: 1, description: 'milliseconds' }),
  }),
  location: message({
    title: sentence(PLACE_LENGTH_MAX),
    address: sentence(PLACE_LENGTH_MAX),
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
  }),
  template: message(
    { altText, template: Type.Object({}) },
    unitsAtMost('altText', ALT_TEXT_LENGTH_MAX),
    maybe('template', template),
  ),
  flex: message(
    { altText, contents: Type.Object({}) },
    unitsAtMost('altText', ALT_TEXT_LENGTH_MAX),
    maybe('contents', container),
  ),
}

const judge = each(
  variants(() => MESSAGES),
  { min: 1, max: MESSAGES_MAX },
)

/** The messages of a request that LINE would take, as far as its reference says it; or a sentence naming what is wrong. */
export function readMessages(value: unknown): LineMessage[] | { wrong: string } {
  const wrong = judge(value, 'messages')
  if (wrong !== null) return { wrong }
  const items: unknown[] = Array.isArray(value) ? value : []
  return items.map((item) => {
    const fields = fieldsOf(item)
    return { ...fields, type: String(fields.type) }
  })
}

export const MESSAGE_TYPES = Object.keys(MESSAGES)
