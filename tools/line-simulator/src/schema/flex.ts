import Type, { type TSchema } from 'typebox'
import { type Action, actionAt } from './action.ts'
import { componentOf, type FlexComponent } from './flex-component.ts'
import { Colour, variants, word } from './values.ts'

/** Bytes of a bubble's and a carousel's JSON (LINE's reference, Flex containers). */
const BUBBLE_BYTES_MAX = 30 * 1024
const CAROUSEL_BYTES_MAX = 50 * 1024
const BUBBLES_MAX = 12

export type FlexBubble = {
  type: 'bubble'
  size?: string
  header?: FlexComponent
  hero?: FlexComponent
  body?: FlexComponent
  footer?: FlexComponent
  action?: Action
  styles?: Record<string, { backgroundColor?: string; separator?: boolean; separatorColor?: string }>
}
export type FlexCarousel = { type: 'carousel'; contents: FlexBubble[] }
export type FlexContainer = FlexBubble | FlexCarousel

const Block = Type.Optional(componentOf(['box']))

const BlockStyle = Type.Optional(
  Type.Object({
    backgroundColor: Type.Optional(Colour),
    separator: Type.Optional(Type.Boolean()),
    separatorColor: Type.Optional(Colour),
  }),
)

const BLOCKS = ['header', 'hero', 'body', 'footer'] as const
const BUBBLE_PROPERTIES = {
  type: Type.Literal('bubble'),
  size: Type.Optional(word('nano', 'micro', 'deca', 'hecto', 'kilo', 'mega', 'giga')),
  direction: Type.Optional(word('ltr', 'rtl')),
  header: Block,
  hero: Type.Optional(componentOf(['box', 'image', 'video'])),
  body: Block,
  footer: Block,
  styles: Type.Optional(
    Type.Object({ header: BlockStyle, hero: BlockStyle, body: BlockStyle, footer: BlockStyle }),
  ),
  action: Type.Optional(actionAt('flex')),
}

/** A film plays in a large bubble that stands alone. */
const FILM_SIZES = ['kilo', 'mega', 'giga']
const hasFilm = ({ hero }: FlexBubble): boolean => hero?.type === 'video'

const Bubble = Type.Object(BUBBLE_PROPERTIES, {
  rule: (bubble: FlexBubble) => {
    if (!BLOCKS.some((name) => bubble[name] !== undefined)) return 'At least one block must be specified'
    if (hasFilm(bubble) && !FILM_SIZES.includes(bubble.size ?? 'mega')) return 'invalid property'
    return tooLarge(bubble, BUBBLE_BYTES_MAX)
  },
})

const Carousel = Type.Object(
  {
    type: Type.Literal('carousel'),
    contents: Type.Array(
      variants<FlexBubble>(() => ({ bubble: Bubble })),
      {
        minItems: 1,
        maxItems: BUBBLES_MAX,
      },
    ),
  },
  {
    rule: (carousel: FlexCarousel) => {
      if (new Set(carousel.contents.map(({ size = 'mega' }) => size)).size > 1)
        return 'all bubbles must have the same size'
      if (carousel.contents.some(hasFilm)) return 'invalid property'
      return tooLarge(carousel, CAROUSEL_BYTES_MAX)
    },
  },
)

const CONTAINERS: Record<string, TSchema> = { bubble: Bubble, carousel: Carousel }
/** What a Flex Message holds. */
export const Container = variants<FlexContainer>(() => CONTAINERS)

const tooLarge = (container: object, bytesMax: number): string | undefined =>
  Buffer.byteLength(JSON.stringify(container)) > bytesMax
    ? `the JSON must be ${bytesMax / 1024} KB or less`
    : undefined
