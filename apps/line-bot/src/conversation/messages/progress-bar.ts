import type { FlexBox } from '@palanquin/line-messages/types'
import { COLOURS } from './colours.ts'

/** LINE draws no bar of 0 %, and one that is nearly full should not look full. */
const SHARE_MIN = 0.02
const SHARE_ALMOST = 0.98

/** A line with an icon and a bar that is filled by the share `done` of it. */
export function progressBar(icon: string, done: number): FlexBox {
  const share = done >= 1 ? 1 : Math.min(SHARE_ALMOST, Math.max(SHARE_MIN, done))
  const filling: FlexBox = {
    type: 'box',
    layout: 'vertical',
    contents: [{ type: 'filler' }],
    width: `${Math.round(share * 100)}%`,
    height: '10px',
    backgroundColor: share === 1 ? COLOURS.gold : COLOURS.vermilion,
    cornerRadius: '5px',
  }
  return {
    type: 'box',
    layout: 'horizontal',
    alignItems: 'center',
    spacing: 'md',
    contents: [
      { type: 'text', text: icon, size: 'sm', flex: 0 },
      {
        type: 'box',
        layout: 'vertical',
        contents: [filling],
        height: '10px',
        backgroundColor: COLOURS.track,
        cornerRadius: '5px',
      },
    ],
  }
}
