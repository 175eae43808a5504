import type { RuleName } from './rules.ts'
import type { Schema } from './schema.ts'

/** What LINE's reference says of an object and its OpenAPI document does not; lengths in UTF-16 units. */
export type Limits = {
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  rule?: RuleName
  /** Properties that hold one of a family of objects (a `discriminator`), and which kinds may stand there. */
  kinds?: Readonly<Record<string, readonly string[]>>
}

const TEXT_UNITS_MAX = 5000
export const MENU_WIDTH_PX_MIN = 800
export const MENU_WIDTH_PX_MAX = 2500
export const MENU_HEIGHT_PX_MIN = 250
/** A label may have more in a Flex Message, but every client shows so many. */
const LABEL_UNITS_MAX = 20
const IMAGE_CAROUSEL_LABEL_UNITS_MAX = 12
const MEDIA_URL_UNITS_MAX = 2000
const LINK_UNITS_MAX = 1000

/** Kinds of messages that can be sent; imagemaps and coupons are refused. */
export const MESSAGE_KINDS = [
  'text',
  'textV2',
  'sticker',
  'image',
  'video',
  'audio',
  'location',
  'template',
  'flex',
] as const

const text = (maxLength: number): Schema => ({ minLength: 1, maxLength })
const list = (minItems: number, maxItems: number): Schema => ({ minItems, maxItems })
const words: Schema = {
  minLength: 1,
  emptyMessage: 'must be non-empty text',
}
const sticker: Schema = { minLength: 1, pattern: '^[0-9]{1,20}$' }
const side: Schema = { minimum: 1, maximum: MENU_WIDTH_PX_MAX }
const offset: Schema = { minimum: 0, maximum: MENU_WIDTH_PX_MAX }

/** Pictures and films, which LINE fetches. */
export const MEDIA_URL: Schema = {
  ...text(MEDIA_URL_UNITS_MAX),
  format: 'media-url',
}
const LINK: Schema = {
  ...text(LINK_UNITS_MAX),
  format: 'link',
}

const ANYWHERE = ['postback', 'message', 'uri', 'datetimepicker', 'clipboard']
/** Where an action stands decides which kinds there are, and whether it needs a label. */
export const PLACES = {
  template: { kinds: ANYWHERE, labelled: true, labelUnitsMax: LABEL_UNITS_MAX },
  quickReply: {
    kinds: [...ANYWHERE, 'camera', 'cameraRoll', 'location'],
    labelled: true,
    labelUnitsMax: LABEL_UNITS_MAX,
  },
  flexButton: { kinds: ANYWHERE, labelled: true, labelUnitsMax: LABEL_UNITS_MAX },
  flex: { kinds: ANYWHERE, labelled: false, labelUnitsMax: LABEL_UNITS_MAX },
  imageCarousel: { kinds: ANYWHERE, labelled: false, labelUnitsMax: IMAGE_CAROUSEL_LABEL_UNITS_MAX },
  richMenu: { kinds: [...ANYWHERE, 'richmenuswitch'], labelled: false, labelUnitsMax: LABEL_UNITS_MAX },
} as const
export type Place = keyof typeof PLACES

/** The place of the actions of an object; of every other one it is `flex`. */
export const PLACE_OF: Readonly<Record<string, Place>> = {
  QuickReplyItem: 'quickReply',
  ButtonsTemplate: 'template',
  ConfirmTemplate: 'template',
  CarouselColumn: 'template',
  ImageCarouselColumn: 'imageCarousel',
  FlexButton: 'flexButton',
  RichMenuArea: 'richMenu',
}

export const LIMITS: Readonly<Record<string, Limits>> = {
  TextMessage: {
    properties: { text: text(TEXT_UNITS_MAX), emojis: { maxItems: 20 }, quoteToken: text(1000) },
    rule: 'emoji',
  },
  Emoji: {
    required: ['index', 'productId', 'emojiId'],
    properties: { index: { minimum: 0 }, productId: text(100), emojiId: text(100) },
  },
  TextMessageV2: { properties: { text: text(TEXT_UNITS_MAX), quoteToken: text(1000) } },
  StickerMessage: { properties: { packageId: sticker, stickerId: sticker, quoteToken: text(1000) } },
  VideoMessage: { properties: { trackingId: text(100) } },
  AudioMessage: { properties: { duration: { minimum: 1 } } },
  LocationMessage: {
    properties: {
      title: text(100),
      address: text(100),
      latitude: { minimum: -90, maximum: 90 },
      longitude: { minimum: -180, maximum: 180 },
    },
  },
  TemplateMessage: { properties: { altText: text(1500) } },
  FlexMessage: { properties: { altText: text(1500) } },
  QuickReply: { required: ['items'], properties: { items: list(1, 13) } },
  QuickReplyItem: { required: ['action', 'type'], properties: { type: { enum: ['action'] } } },
  Sender: { properties: { name: text(20) } },

  ButtonsTemplate: {
    properties: {
      title: text(40),
      text: text(160),
      actions: list(1, 4),
      imageAspectRatio: { enum: ['rectangle', 'square'] },
      imageSize: { enum: ['cover', 'contain'] },
    },
    rule: 'textBelowPicture',
  },
  ConfirmTemplate: {
    properties: { text: text(240), actions: { ...list(2, 2) } },
  },
  CarouselTemplate: {
    properties: {
      columns: list(1, 10),
      imageAspectRatio: { enum: ['rectangle', 'square'] },
      imageSize: { enum: ['cover', 'contain'] },
    },
    rule: 'sameButtons',
  },
  CarouselColumn: {
    properties: { title: text(40), text: text(120), actions: list(1, 3) },
    rule: 'textBelowPicture',
  },
  ImageCarouselTemplate: { properties: { columns: list(1, 10) } },

  FlexBubble: {
    kinds: { header: ['box'], hero: ['box', 'image', 'video'], body: ['box'], footer: ['box'] },
    rule: 'bubble',
  },
  FlexCarousel: { properties: { contents: list(1, 12) }, kinds: { contents: ['bubble'] }, rule: 'carousel' },
  FlexText: {
    properties: { text: words, maxLines: { minimum: 0 } },
    kinds: { contents: ['span'] },
    rule: 'textOrSpans',
  },
  FlexSpan: { required: ['text'], properties: { text: words } },
  FlexVideo: { kinds: { altContent: ['box', 'image'] } },
  FlexBoxLinearGradient: { required: ['angle', 'startColor', 'endColor'] },

  PostbackAction: {
    required: ['data'],
    properties: { displayText: text(300), text: text(300), fillInText: text(300) },
    rule: 'postback',
  },
  MessageAction: { required: ['text'], properties: { text: text(300) } },
  URIAction: { required: ['uri'], properties: { uri: LINK } },
  AltUri: { required: ['desktop'], properties: { desktop: LINK } },
  DatetimePickerAction: { required: ['data', 'mode'], rule: 'picker' },
  RichMenuSwitchAction: { required: ['data', 'richMenuAliasId'], properties: { richMenuAliasId: text(32) } },

  ReplyMessageRequest: { properties: { replyToken: text(1000) } },
  PushMessageRequest: {
    properties: {
      to: text(100),
      customAggregationUnits: { maxItems: 1, items: { type: 'string', pattern: '^[a-zA-Z0-9_]{1,30}$' } },
    },
  },
  MulticastRequest: { properties: { to: { items: { type: 'string', ...text(100) } } } },
  ShowLoadingAnimationRequest: {
    properties: {
      chatId: {
        minLength: 1,
        pattern: '^U[0-9a-f]{32}$',
        invalidMessage:
          'Only user id is acceptable, please confirm if there are any group/room ids or illegal ids.',
      },
      loadingSeconds: { multipleOf: 5 },
    },
  },
  MarkMessagesAsReadByTokenRequest: { properties: { markAsReadToken: text(1000) } },

  RichMenuRequest: {
    required: ['size', 'selected', 'name', 'chatBarText', 'areas'],
    properties: { name: text(300), chatBarText: text(14), areas: { maxItems: 20 } },
    rule: 'areas',
  },
  RichMenuSize: {
    required: ['width', 'height'],
    properties: {
      width: { minimum: MENU_WIDTH_PX_MIN, maximum: MENU_WIDTH_PX_MAX },
      height: { minimum: MENU_HEIGHT_PX_MIN },
    },
    rule: 'menuSize',
  },
  RichMenuArea: { required: ['bounds', 'action'] },
  RichMenuBounds: {
    required: ['x', 'y', 'width', 'height'],
    properties: { x: offset, y: offset, width: side, height: side },
  },
}
