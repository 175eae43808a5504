import Type from 'typebox'
import { actionAt } from './action.ts'
import { MediaUrl } from './address.ts'
import { all, each, fieldsOf, type Judge, maybe, rule, shaped, variants } from './judge.ts'

/** LINE's reference, "Template messages". */
const TITLE_LENGTH_MAX = 40
const BUTTONS_TEXT_LENGTH_MAX = 160
const COLUMN_TEXT_LENGTH_MAX = 120
const TEXT_BELOW_PICTURE_LENGTH_MAX = 60
const CONFIRM_TEXT_LENGTH_MAX = 240
const BUTTONS_MAX = 4
const COLUMN_BUTTONS_MAX = 3
const COLUMNS_MAX = 10
const CONFIRM_BUTTONS = 2

const action = actionAt('template')
const actions = (min: number, max: number): Judge => maybe('actions', each(action, { min, max }))
const given = (name: string): Judge => rule((fields) => Array.isArray(fields[name]), `${name}, a list`)

/** What buttons and a column of a carousel have in common; a title or a picture leaves less room for the text. */
const headed = (textLengthMax: number): Judge =>
  all(
    shaped(
      Type.Object({
        thumbnailImageUrl: Type.Optional(MediaUrl),
        title: Type.Optional(Type.String({ minLength: 1, maxLength: TITLE_LENGTH_MAX })),
        text: Type.String({ minLength: 1, maxLength: textLengthMax }),
      }),
    ),
    rule(
      ({ title, thumbnailImageUrl, text }) =>
        (title === undefined && thumbnailImageUrl === undefined) ||
        String(text).length <= TEXT_BELOW_PICTURE_LENGTH_MAX,
      `a text of at most ${TEXT_BELOW_PICTURE_LENGTH_MAX} characters below a title or a picture`,
    ),
    maybe('defaultAction', action),
    given('actions'),
  )

const column = all(headed(COLUMN_TEXT_LENGTH_MAX), actions(1, COLUMN_BUTTONS_MAX))
const sameButtons: Judge = rule(({ columns }) => {
  const counts = (Array.isArray(columns) ? columns : []).map((one) => {
    const { actions: buttons } = fieldsOf(one)
    return Array.isArray(buttons) ? buttons.length : 0
  })
  return new Set(counts).size <= 1
}, 'the same number of actions in every column')

const TEMPLATES: Record<string, Judge> = {
  buttons: all(headed(BUTTONS_TEXT_LENGTH_MAX), actions(1, BUTTONS_MAX)),
  confirm: all(
    shaped(Type.Object({ text: Type.String({ minLength: 1, maxLength: CONFIRM_TEXT_LENGTH_MAX }) })),
    given('actions'),
    actions(CONFIRM_BUTTONS, CONFIRM_BUTTONS),
  ),
  carousel: all(given('columns'), maybe('columns', each(column, { min: 1, max: COLUMNS_MAX })), sameButtons),
  image_carousel: all(
    given('columns'),
    maybe(
      'columns',
      each(
        all(
          shaped(Type.Object({ imageUrl: MediaUrl, action: Type.Object({}) })),
          maybe('action', actionAt('image-carousel')),
        ),
        { min: 1, max: COLUMNS_MAX },
      ),
    ),
  ),
}

/** What a template message holds. */
export const template: Judge = variants(() => TEMPLATES)
