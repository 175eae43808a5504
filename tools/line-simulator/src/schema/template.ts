import Type, { type TSchema } from 'typebox'
import { type Action, actionAt } from './action.ts'
import { optional } from './flex-style.ts'
import { Colour, MediaUrl, text, variants, word } from './values.ts'

/** Limits of LINE's reference, template messages. A picture or a title leaves less room for the text. */
const TITLE_LENGTH_MAX = 40
const BUTTONS_TEXT_LENGTH_MAX = 160
const COLUMN_TEXT_LENGTH_MAX = 120
const TEXT_BELOW_PICTURE_LENGTH_MAX = 60
const CONFIRM_TEXT_LENGTH_MAX = 240
const BUTTONS_MAX = 4
const COLUMN_BUTTONS_MAX = 3
const COLUMNS_MAX = 10
const CONFIRM_BUTTONS = 2

type Column = { title?: string; thumbnailImageUrl?: string; text: string; actions: Action[] }

const actions = (minItems: number, maxItems: number) =>
  Type.Array(actionAt('template'), { minItems, maxItems })
const picture = optional({
  imageAspectRatio: word('rectangle', 'square'),
  imageSize: word('cover', 'contain'),
})
const head = optional({
  thumbnailImageUrl: MediaUrl,
  imageBackgroundColor: Colour,
  title: text(TITLE_LENGTH_MAX),
  defaultAction: actionAt('template'),
})

const refusalOfLength = ({ title, thumbnailImageUrl, text }: Column): string | undefined =>
  (title !== undefined || thumbnailImageUrl !== undefined) && text.length > TEXT_BELOW_PICTURE_LENGTH_MAX
    ? `text: Length must be between 1 and ${TEXT_BELOW_PICTURE_LENGTH_MAX} below a title or a picture`
    : undefined

const Column = Type.Object(
  { ...head, text: text(COLUMN_TEXT_LENGTH_MAX), actions: actions(1, COLUMN_BUTTONS_MAX) },
  { rule: refusalOfLength },
)

const TEMPLATES: Record<string, TSchema> = {
  buttons: Type.Object(
    {
      type: Type.Literal('buttons'),
      ...picture,
      ...head,
      text: text(BUTTONS_TEXT_LENGTH_MAX),
      actions: actions(1, BUTTONS_MAX),
    },
    { rule: refusalOfLength },
  ),
  confirm: Type.Object({
    type: Type.Literal('confirm'),
    text: text(CONFIRM_TEXT_LENGTH_MAX),
    actions: actions(CONFIRM_BUTTONS, CONFIRM_BUTTONS),
  }),
  carousel: Type.Object(
    {
      type: Type.Literal('carousel'),
      ...picture,
      columns: Type.Array(Column, { minItems: 1, maxItems: COLUMNS_MAX }),
    },
    {
      rule: ({ columns }: { columns: Column[] }) =>
        new Set(columns.map(({ actions }) => actions.length)).size > 1
          ? 'all columns must have the same number of actions'
          : undefined,
    },
  ),
  image_carousel: Type.Object({
    type: Type.Literal('image_carousel'),
    columns: Type.Array(Type.Object({ imageUrl: MediaUrl, action: actionAt('imageCarousel') }), {
      minItems: 1,
      maxItems: COLUMNS_MAX,
    }),
  }),
}

export type Template = { type: string; text?: string; title?: string; actions?: Action[]; columns?: Column[] }
/** What a template message holds. */
export const TemplateBody = variants<Template>(() => TEMPLATES)
