import Type, { type Static } from 'typebox'
import { actionAt } from './action.ts'
import { text } from './values.ts'

/** LINE's reference, rich menu structure; pixels. */
export const MENU_WIDTH_PX_MIN = 800
export const MENU_WIDTH_PX_MAX = 2500
export const MENU_HEIGHT_PX_MIN = 250
export const MENU_RATIO_MIN = 1.45
const NAME_LENGTH_MAX = 300
const CHAT_BAR_LENGTH_MAX = 14
const AREAS_MAX = 20

const Side = Type.Integer({ minimum: 1, maximum: MENU_WIDTH_PX_MAX })
const Offset = Type.Integer({ minimum: 0, maximum: MENU_WIDTH_PX_MAX })
const Area = Type.Object({
  bounds: Type.Object({ x: Offset, y: Offset, width: Side, height: Side }),
  action: actionAt('richMenu'),
})

type Size = { width: number; height: number }

/** A rich menu as it is created. */
export const RichMenuRequest = Type.Object(
  {
    size: Type.Object(
      {
        width: Type.Integer({ minimum: MENU_WIDTH_PX_MIN, maximum: MENU_WIDTH_PX_MAX }),
        height: Type.Integer({ minimum: MENU_HEIGHT_PX_MIN }),
      },
      {
        rule: (size: Size) =>
          isWideEnough(size) ? undefined : `width / height must be ${MENU_RATIO_MIN} or more`,
      },
    ),
    selected: Type.Boolean(),
    name: text(NAME_LENGTH_MAX),
    chatBarText: text(CHAT_BAR_LENGTH_MAX),
    areas: Type.Array(Area, { maxItems: AREAS_MAX }),
  },
  { rule: refusalOfAreas },
)
export type RichMenu = Static<typeof RichMenuRequest>

export const isWideEnough = ({ width, height }: Size): boolean => width / height >= MENU_RATIO_MIN

/** Outside of the menu nobody can tap: such an area is a mistake, which LINE lets pass and this stub does not. */
function refusalOfAreas({ size, areas }: RichMenu): string | undefined {
  const outside = areas.findIndex(
    ({ bounds }) => bounds.x + bounds.width > size.width || bounds.y + bounds.height > size.height,
  )
  return outside < 0 ? undefined : `areas[${outside}].bounds: outside of the menu`
}
