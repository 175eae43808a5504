import Type, { type TSchema } from 'typebox'
import { type Action, actionAt } from './action.ts'
import { alignment, boxStyle, flex, letters, margin, optional, place, shrink, tap } from './flex-style.ts'
import { AspectRatio, Colour, FontSize, ImageSize, MediaUrl, Pixels, variants, word } from './values.ts'

/** A component as it is read after it was judged: which of these it has depends on its type. */
export type FlexComponent = {
  type: string
  layout?: 'horizontal' | 'vertical' | 'baseline'
  contents?: FlexComponent[]
  text?: string
  url?: string
  action?: Action
  [property: string]: unknown
}

type Kind = 'box' | 'button' | 'image' | 'video' | 'icon' | 'text' | 'separator' | 'filler'
/** What may stand in a box that goes down or across, and in one whose texts share a baseline. */
const IN_BOX: readonly Kind[] = ['box', 'button', 'image', 'text', 'separator', 'filler']
const IN_BASELINE: readonly Kind[] = ['icon', 'text', 'filler']

/** A union of some kinds of components. */
export const componentOf = (kinds: readonly Kind[]) =>
  variants<FlexComponent>(() => Object.fromEntries(kinds.map((kind) => [kind, COMPONENTS[kind]])))

const boxOf = (layout: NonNullable<FlexComponent['layout']>): TSchema =>
  Type.Object({
    type: Type.Literal('box'),
    layout: Type.Literal(layout),
    contents: Type.Array(componentOf(layout === 'baseline' ? IN_BASELINE : IN_BOX)),
    ...boxStyle,
    ...flex,
    ...margin,
    ...place,
    ...tap,
  })
const BOXES = { horizontal: boxOf('horizontal'), vertical: boxOf('vertical'), baseline: boxOf('baseline') }

/** A text of nothing is the fault that bots make most, and LINE names it so. */
const Words = Type.String({ pattern: '[^]', apiError: 'must be non-empty text' })
const Span = Type.Object({ type: Type.Literal('span'), text: Words, ...letters })

const Text = Type.Object(
  {
    type: Type.Literal('text'),
    text: Type.Optional(Words),
    contents: Type.Optional(Type.Array(variants<FlexComponent>(() => ({ span: Span })))),
    wrap: Type.Optional(Type.Boolean()),
    lineSpacing: Type.Optional(Pixels),
    maxLines: Type.Optional(Type.Integer({ minimum: 0 })),
    ...letters,
    ...alignment,
    ...shrink,
    ...flex,
    ...margin,
    ...place,
    ...tap,
  },
  {
    rule: ({ text, contents }: FlexComponent) =>
      text === undefined && !contents?.length ? 'text or contents must be specified' : undefined,
  },
)

const Button = Type.Object({
  type: Type.Literal('button'),
  action: actionAt('flexButton'),
  ...optional({
    style: word('primary', 'secondary', 'link'),
    color: Colour,
    height: word('sm', 'md'),
    gravity: word('top', 'bottom', 'center'),
  }),
  ...shrink,
  ...flex,
  ...margin,
  ...place,
})

const picture = { url: MediaUrl, ...optional({ aspectRatio: AspectRatio }) }
const Image = Type.Object({
  type: Type.Literal('image'),
  ...picture,
  ...optional({
    size: ImageSize,
    aspectMode: word('fit', 'cover'),
    backgroundColor: Colour,
    animated: Type.Boolean(),
  }),
  ...alignment,
  ...flex,
  ...margin,
  ...place,
  ...tap,
})

const COMPONENTS: Record<Kind, TSchema> = {
  box: variants(() => BOXES, 'layout'),
  button: Button,
  image: Image,
  video: Type.Object({
    type: Type.Literal('video'),
    ...picture,
    previewUrl: MediaUrl,
    altContent: componentOf(['box', 'image']),
    ...tap,
  }),
  icon: Type.Object({
    type: Type.Literal('icon'),
    ...picture,
    ...optional({ size: FontSize, scaling: Type.Boolean() }),
    ...margin,
    ...place,
  }),
  text: Text,
  separator: Type.Object({ type: Type.Literal('separator'), color: Type.Optional(Colour), ...margin }),
  filler: Type.Object({ type: Type.Literal('filler'), ...flex }),
}
