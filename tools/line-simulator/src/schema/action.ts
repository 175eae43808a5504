import Type, { type TSchema } from 'typebox'
import { ActionUri, text, variants, word } from './values.ts'

/**
 * Where an action stands decides what it may be, and whether it must be named. LINE shows 20 units of a label
 * everywhere; it takes 40 in a Flex Message, but this house keeps to what every client shows.
 */
export type Place = 'quickReply' | 'template' | 'imageCarousel' | 'flexButton' | 'flex' | 'richMenu'
const LABEL_LENGTH_MAX = 20
const IMAGE_CAROUSEL_LABEL_LENGTH_MAX = 12
const MUST_BE_NAMED: readonly Place[] = ['quickReply', 'template', 'flexButton']

const POSTBACK_DATA_LENGTH_MAX = 300
const SPOKEN_LENGTH_MAX = 300
const CLIPBOARD_LENGTH_MAX = 1000
const ALIAS_LENGTH_MAX = 32

const Data = Type.String({ maxLength: POSTBACK_DATA_LENGTH_MAX })
const Spoken = text(SPOKEN_LENGTH_MAX)

/** Something that happens when it is tapped. */
export type Action = {
  type: string
  label?: string
  data?: string
  text?: string
  displayText?: string
  uri?: string
  mode?: string
  clipboardText?: string
  inputOption?: string
  fillInText?: string
}

/** The actions that may stand in a place, by their type. */
export const actionAt = (place: Place) => variants<Action>(() => kindsAt(place))

const known = new Map<Place, Record<string, TSchema>>()
function kindsAt(place: Place): Record<string, TSchema> {
  const kinds = known.get(place) ?? makeKinds(place)
  known.set(place, kinds)
  return kinds
}

function makeKinds(place: Place): Record<string, TSchema> {
  const name = text(place === 'imageCarousel' ? IMAGE_CAROUSEL_LABEL_LENGTH_MAX : LABEL_LENGTH_MAX)
  const label = MUST_BE_NAMED.includes(place) ? name : Type.Optional(name)
  return {
    postback: Type.Object(
      {
        type: Type.Literal('postback'),
        label,
        data: Data,
        displayText: Type.Optional(Spoken),
        text: Type.Optional(Spoken),
        inputOption: Type.Optional(word('closeRichMenu', 'openRichMenu', 'openKeyboard', 'openVoice')),
        fillInText: Type.Optional(Spoken),
      },
      { rule: refusalOfPostback },
    ),
    message: Type.Object({ type: Type.Literal('message'), label, text: Spoken }),
    uri: Type.Object({
      type: Type.Literal('uri'),
      label,
      uri: ActionUri,
      altUri: Type.Optional(Type.Object({ desktop: ActionUri })),
    }),
    datetimepicker: Type.Object(
      {
        type: Type.Literal('datetimepicker'),
        label,
        data: Data,
        mode: word('date', 'time', 'datetime'),
        initial: Type.Optional(Type.String()),
        max: Type.Optional(Type.String()),
        min: Type.Optional(Type.String()),
      },
      { rule: refusalOfPicker },
    ),
    clipboard: Type.Object({
      type: Type.Literal('clipboard'),
      label,
      clipboardText: text(CLIPBOARD_LENGTH_MAX),
    }),
    ...(place === 'quickReply' ? phoneActions(name) : {}),
    ...(place === 'richMenu' ? { richmenuswitch: RichMenuSwitch } : {}),
  }
}

/** What only a quick reply can open on the phone. */
const phoneActions = (label: TSchema) =>
  Object.fromEntries(
    ['camera', 'cameraRoll', 'location'].map((type) => [
      type,
      Type.Object({ type: Type.Literal(type), label }),
    ]),
  )

const RichMenuSwitch = Type.Object({
  type: Type.Literal('richmenuswitch'),
  label: Type.Optional(text(LABEL_LENGTH_MAX)),
  richMenuAliasId: text(ALIAS_LENGTH_MAX),
  data: Data,
})

function refusalOfPostback({ displayText, text, inputOption, fillInText }: Action): string | undefined {
  if (displayText !== undefined && text !== undefined) return 'displayText and text cannot both be set'
  if (fillInText !== undefined && inputOption !== 'openKeyboard')
    return 'fillInText can only be used with openKeyboard'
  return undefined
}

const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d'
const PICKED = {
  date: new RegExp(`^${DATE}$`),
  time: new RegExp(`^${TIME}$`),
  datetime: new RegExp(`^${DATE}[Tt]${TIME}$`),
}
type Picker = { mode: keyof typeof PICKED; initial?: string; max?: string; min?: string }

function refusalOfPicker({ mode, initial, max, min }: Picker): string | undefined {
  if ([initial, max, min].some((value) => value !== undefined && !PICKED[mode].test(value)))
    return `initial, max and min must be of the mode ${mode}`
  return max !== undefined && min !== undefined && max.toUpperCase() <= min.toUpperCase()
    ? 'max must be greater than min'
    : undefined
}
