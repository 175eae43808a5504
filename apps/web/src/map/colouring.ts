import type { Map as MapLibre, StyleSpecification } from 'maplibre-gl'

type Scheme = 'light' | 'dark'
/** Calls `paint` now, and whenever the phone turns dark or light while the map is open. */
export type Colouring = (paint: (scheme: Scheme) => void) => void

const isDark = () => matchMedia('(prefers-color-scheme: dark)')

export const schemeNow = (): Scheme => (isDark().matches ? 'dark' : 'light')

/** Calls `paint` when the phone turns dark or light, until the map is removed. */
export function onTurn(map: MapLibre, paint: (scheme: Scheme) => void): void {
  const query = isDark()
  const turn = () => paint(query.matches ? 'dark' : 'light')
  query.addEventListener('change', turn)
  map.on('remove', () => query.removeEventListener('change', turn))
}

/** What the parts that are added to a map are coloured by. */
export const colouringOf =
  (map: MapLibre): Colouring =>
  (paint) => {
    paint(schemeNow())
    onTurn(map, paint)
  }

/** Gives the layers of a map the colours of a style with the same layers; data and additions stay. */
export function recolour(map: MapLibre, style: StyleSpecification): void {
  const coloured = new Map(style.layers.map((layer) => [layer.id, layer]))
  map.setStyle(style, {
    transformStyle: (shown) =>
      shown === undefined
        ? style
        : { ...shown, layers: shown.layers.map((layer) => coloured.get(layer.id) ?? layer) },
  })
}
