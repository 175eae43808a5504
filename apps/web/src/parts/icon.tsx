/** Symbols of the one SVG file that every page holds; they are decoration. */
export type IconName =
  | 'lantern'
  | 'palanquin'
  | 'map'
  | 'walk'
  | 'heart'
  | 'chat'
  | 'locate'
  | 'follow'
  | 'plus'
  | 'minus'
  | 'route'
  | 'share'
  | 'supply'
  | 'toilet'
  | 'medical'
  | 'rest'
  | 'pickup'
  | 'other'
  | 'vanguard'
  | 'rear'
  | 'shuttle'
  | 'offline'
  | 'pause'
  | 'clock'
  | 'check'
  | 'camera'

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true" focusable="false">
      <use href={`#icon-${name}`} />
    </svg>
  )
}
