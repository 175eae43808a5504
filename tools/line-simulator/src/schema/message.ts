import Type, { type Static, type TSchema } from 'typebox'
import { actionAt } from './action.ts'
import { Container } from './flex.ts'
import { TemplateBody } from './template.ts'
import { MediaUrl, text, variants } from './values.ts'

/** Limits of LINE's reference, message objects; lengths in UTF-16 units. */
const TEXT_LENGTH_MAX = 5000
const ALT_TEXT_LENGTH_MAX = 1500
const QUICK_REPLIES_MAX = 13
const SENDER_NAME_LENGTH_MAX = 20
const PLACE_LENGTH_MAX = 100
const EMOJIS_MAX = 20

const common = {
  quickReply: Type.Optional(
    Type.Object({
      items: Type.Array(
        Type.Object({
          type: Type.Literal('action'),
          imageUrl: Type.Optional(MediaUrl),
          action: actionAt('quickReply'),
        }),
        { minItems: 1, maxItems: QUICK_REPLIES_MAX },
      ),
    }),
  ),
  sender: Type.Optional(
    Type.Object({ name: Type.Optional(text(SENDER_NAME_LENGTH_MAX)), iconUrl: Type.Optional(MediaUrl) }),
  ),
}
const quote = { quoteToken: Type.Optional(text(1000)) }

const Emoji = Type.Object({ index: Type.Integer({ minimum: 0 }), productId: text(100), emojiId: text(100) })
const Text = Type.Object(
  {
    type: Type.Literal('text'),
    text: text(TEXT_LENGTH_MAX),
    emojis: Type.Optional(Type.Array(Emoji, { maxItems: EMOJIS_MAX })),
    ...quote,
    ...common,
  },
  {
    rule: ({ text, emojis }: { text: string; emojis?: { index: number }[] }) =>
      emojis?.some((emoji) => text[emoji.index] !== '$')
        ? 'an emoji stands where the text has no $'
        : undefined,
  },
)
const TextV2 = Type.Object({
  type: Type.Literal('textV2'),
  text: text(TEXT_LENGTH_MAX),
  substitution: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
  ...quote,
  ...common,
})
const StickerNumber = Type.String({ minLength: 1, pattern: '^[0-9]+$' })
const Sticker = Type.Object({
  type: Type.Literal('sticker'),
  packageId: StickerNumber,
  stickerId: StickerNumber,
  ...quote,
  ...common,
})
const media = { originalContentUrl: MediaUrl, previewImageUrl: MediaUrl, ...common }
const Image = Type.Object({ type: Type.Literal('image'), ...media })
const Video = Type.Object({ type: Type.Literal('video'), ...media, trackingId: Type.Optional(text(100)) })
const Audio = Type.Object({
  type: Type.Literal('audio'),
  originalContentUrl: MediaUrl,
  duration: Type.Integer({ minimum: 1 }),
  ...common,
})
const Location = Type.Object({
  type: Type.Literal('location'),
  title: text(PLACE_LENGTH_MAX),
  address: text(PLACE_LENGTH_MAX),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  ...common,
})
const Templated = Type.Object({
  type: Type.Literal('template'),
  altText: text(ALT_TEXT_LENGTH_MAX),
  template: TemplateBody,
  ...common,
})
const Flex = Type.Object({
  type: Type.Literal('flex'),
  altText: text(ALT_TEXT_LENGTH_MAX),
  contents: Container,
  ...common,
})

/** What a bot sends; its type decides what else it has. Imagemaps and coupons are not known here and are refused. */
export type Message =
  | Static<typeof Text>
  | Static<typeof TextV2>
  | Static<typeof Sticker>
  | Static<typeof Image>
  | Static<typeof Video>
  | Static<typeof Audio>
  | Static<typeof Location>
  | Static<typeof Templated>
  | Static<typeof Flex>
export type MessageOf<T extends Message['type']> = Extract<Message, { type: T }>

const MESSAGES: Record<Message['type'], TSchema> = {
  text: Text,
  textV2: TextV2,
  sticker: Sticker,
  image: Image,
  video: Video,
  audio: Audio,
  location: Location,
  template: Templated,
  flex: Flex,
}

/** One message object. */
export const MessageObject = variants<Message>(() => MESSAGES)

const MESSAGES_MAX = 5
/** The messages of one request. */
export const Messages = Type.Array(MessageObject, { minItems: 1, maxItems: MESSAGES_MAX })
