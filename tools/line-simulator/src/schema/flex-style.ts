import Type, { type TSchema } from 'typebox'
import { actionAt } from './action.ts'
import {
  Angle,
  BorderWidth,
  Colour,
  Extent,
  Flex,
  FontSize,
  Gap,
  Inset,
  Percentage,
  Radius,
  variants,
  word,
} from './values.ts'

/** The same properties, none of which must be there. */
export const optional = (properties: Record<string, TSchema>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]))

/** Groups of properties that several components share. */
export const margin = optional({ margin: Gap })
export const place = optional({
  position: word('relative', 'absolute'),
  offsetTop: Inset,
  offsetBottom: Inset,
  offsetStart: Inset,
  offsetEnd: Inset,
})
export const alignment = optional({
  align: word('start', 'end', 'center'),
  gravity: word('top', 'bottom', 'center'),
})
export const letters = optional({
  size: FontSize,
  color: Colour,
  weight: word('regular', 'bold'),
  style: word('normal', 'italic'),
  decoration: word('none', 'underline', 'line-through'),
})
export const shrink = optional({ adjustMode: word('shrink-to-fit'), scaling: Type.Boolean() })
export const tap = optional({ action: actionAt('flex') })
export const flex = optional({ flex: Flex })

const Gradient = Type.Object({
  type: Type.Literal('linearGradient'),
  angle: Angle,
  startColor: Colour,
  endColor: Colour,
  centerColor: Type.Optional(Colour),
  centerPosition: Type.Optional(Percentage),
})

/** How a box looks and how it arranges what is in it. */
export const boxStyle = optional({
  spacing: Gap,
  backgroundColor: Colour,
  borderColor: Colour,
  borderWidth: BorderWidth,
  cornerRadius: Radius,
  width: Extent,
  maxWidth: Extent,
  height: Extent,
  maxHeight: Extent,
  paddingAll: Inset,
  paddingTop: Inset,
  paddingBottom: Inset,
  paddingStart: Inset,
  paddingEnd: Inset,
  justifyContent: word('center', 'flex-start', 'flex-end', 'space-between', 'space-around', 'space-evenly'),
  alignItems: word('center', 'flex-start', 'flex-end'),
  background: variants(() => ({ linearGradient: Gradient })),
})
